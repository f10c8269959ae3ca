// The storage interface of the checkpoint journal. One thread at a time.

import Platform

/// Persistent storage of a fixed size. Class-bound, so that it works in Embedded Swift.
package protocol CheckpointStorage: AnyObject {
  /// The size in bytes.
  var size: Int { get }

  /// Reads `count` bytes from `offset`, or fewer at the end.
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8]

  /// Writes within `size` and syncs. Until it returns, the bytes may reach the storage partly and in any
  /// order. After an error, they may or may not have reached it.
  func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError)
}

/// Storage with a cache in memory that has to be synced.
package protocol CachedStorage: CheckpointStorage {
  /// Writes within `size`. Until `sync`, the bytes may be lost, wholly or in part and in any order.
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)

  /// Waits until all writes have reached the storage.
  ///
  /// - Throws: The storage's error. Writes since the last successful sync may be lost then, even if the next
  ///   sync succeeds.
  func sync() throws(SystemError)
}

extension CachedStorage {
  package func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    try write(bytes, at: offset)
    try sync()
  }
}

/// Storage in memory, for the simulator and the fuzzer.
package final class MemoryStorage: CheckpointStorage {
  /// The contents.
  package private(set) var bytes: [UInt8]

  /// Creates storage with these contents.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes.
  package var size: Int { bytes.count }

  /// Reads; never fails.
  package func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
    return Array(bytes[offset..<min(offset + count, bytes.count)])
  }

  /// Writes, ignoring the part beyond the end.
  package func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    for i in bytes.indices where offset + i < self.bytes.count { self.bytes[offset + i] = bytes[i] }
  }
}
