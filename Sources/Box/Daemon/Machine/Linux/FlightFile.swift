// A flight recorder's memory as a mapped file in memory: it outlives the process, costs no flash and waits for nothing.
// Control thread.

import Flight
import Platform

/// Files in memory beside each other: the one that is written, and `.last`, that of the last crash.
package final class FlightFiles: FlightStore {
  /// The machine's.
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

/// A mapped file, claimed as long as this lives.
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
