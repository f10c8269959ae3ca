// Memory for the audio thread that is there before it is needed. Whoever allocates; not the audio thread.

extension UnsafeMutablePointer {
  /// Uninitialized memory of which every page has been touched: the thread that uses it first waits for none.
  static func allocateResident(capacity: Int) -> UnsafeMutablePointer {
    let memory = UnsafeMutablePointer.allocate(capacity: capacity)
    UnsafeMutableRawPointer(memory).initializeMemory(
      as: UInt8.self, repeating: 0, count: capacity * MemoryLayout<Pointee>.stride)
    return memory
  }
}
