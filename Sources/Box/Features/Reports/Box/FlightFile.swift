// Flight recorder memory as a mapped file in /run: it survives a crash, causes no flash writes and never blocks.
// Control thread.

import Flight
import Platform

/// Memory-mapped files: the one being recorded, and `.last`, the recording of the last crash.
package final class FlightFiles: FlightStore {
  /// Creates the store.
  package init() {}

  package func open(_ path: String, size: Int) throws(SystemError) -> any FlightMemory {
    if let left = try MemoryFile.contents(path, limit: FlightHeader.byteCount),
      FlightHeader(left)?.isUnderWay == true
    {
      try MemoryFile.rename(path, addingEnding: Self.lastEnding)
    }
    return try FlightFile(path, size: size)
  }

  package func last(_ path: String) -> [UInt8]? {
    try? MemoryFile.contents(Self.last(path), limit: FlightRecorder.maxSize)
  }

  private static let lastEnding = ".last"
  private static func last(_ path: String) -> String { path + lastEnding }
}

/// A mapped file, locked while this object exists.
private final class FlightFile: FlightMemory {
  private let file: FileDescriptor
  private let mapping: SharedMemory

  init(_ path: String, size: Int) throws(SystemError) {
    file = try MemoryFile.create(path, size: size)
    mapping = try SharedMemory(mapping: file, size: size)
  }

  var base: UnsafeMutableRawPointer { mapping.base }
  var size: Int { mapping.size }
}
