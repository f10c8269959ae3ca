// Allocates memory whose pages are resident, for the audio thread. Not to be called on the audio thread.

extension UnsafeMutablePointer {
  /// Uninitialized memory with all pages touched, so that the first use causes no page fault.
  static func allocateResident(capacity: Int) -> UnsafeMutablePointer {
    let memory = UnsafeMutablePointer.allocate(capacity: capacity)
    UnsafeMutableRawPointer(memory).initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * MemoryLayout<Pointee>.stride)
    return memory
  }
}
