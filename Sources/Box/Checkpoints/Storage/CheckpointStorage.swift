// What a journal is written to. One thread at a time.

import Platform

/// A fixed number of bytes that survive. Class-bound, so that it works in Embedded Swift.
package protocol CheckpointStorage: AnyObject {
  /// How many bytes there are.
  var size: Int { get }

  /// The bytes from `offset` on, `count` of them or as many as there are.
  func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8]

  /// Writes within `size`, and waits until it is safe. What is being written may arrive in part and in any order until then. After
  /// an error it may be lost, or arrive all the same.
  func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError)
}

/// Storage that keeps what it is given in the kernel's memory first.
package protocol CachedStorage: CheckpointStorage {
  /// Writes within `size`. What is written may be lost, whole or in part and in any order, until `sync`.
  func write(_ bytes: [UInt8], at offset: Int) throws(SystemError)

  /// Waits until everything written is safe. After an error, what was written since the last success may
  /// be lost, also if the next sync succeeds.
  func sync() throws(SystemError)
}

extension CachedStorage {
  package func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    try write(bytes, at: offset)
    try sync()
  }
}

/// Storage that lasts as long as the process: for the simulator and the fuzzer.
package final class MemoryStorage: CheckpointStorage {
  /// The bytes.
  package private(set) var bytes: [UInt8]

  /// Storage that holds `bytes`.
  package init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The number of bytes.
  package var size: Int { bytes.count }

  /// Reads; never fails.
  package func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    guard offset >= 0, offset < bytes.count, count > 0 else { return [] }
    return Array(bytes[offset..<min(offset + count, bytes.count)])
  }

  /// Keeps; the part beyond the end is lost.
  package func keep(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    for i in bytes.indices where offset + i < self.bytes.count { self.bytes[offset + i] = bytes[i] }
  }
}
