// The memory behind the flight recorder. Created by the control thread; not synchronized.

/// A block of memory, either zeroed or with the records of a previous run. Class-bound for Embedded Swift.
package protocol FlightMemory: AnyObject {
  /// Address of the first byte, aligned to 64 bytes.
  var base: UnsafeMutableRawPointer { get }
  /// Size in bytes.
  var size: Int { get }
}

/// Recorder memory on the heap, freed with the object.
package final class HeapFlightMemory: FlightMemory {
  package let base: UnsafeMutableRawPointer
  package let size: Int

  /// Allocates zeroed memory of `size` bytes.
  package init(size: Int = FlightRecorder.usualSize) {
    self.size = size
    base = .allocate(byteCount: size, alignment: 64)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: size)
  }

  deinit { base.deallocate() }
}
