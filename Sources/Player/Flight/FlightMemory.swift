// The memory that records are kept in. Made by the control thread; whoever has it may read and write all of it.

/// A stretch of memory, zeroed or left by a recorder before. Class-bound, for Embedded Swift.
package protocol FlightMemory: AnyObject {
  /// Its first byte, aligned to 64.
  var base: UnsafeMutableRawPointer { get }
  /// Its bytes.
  var size: Int { get }
}

/// Memory that goes with the process.
package final class HeapFlightMemory: FlightMemory {
  package let base: UnsafeMutableRawPointer
  package let size: Int

  /// Zeroed memory.
  package init(size: Int = FlightRecorder.usualSize) {
    self.size = size
    base = .allocate(byteCount: size, alignment: 64)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { base.deallocate() }
}
