// The shortest way of all: a CD's samples, at full volume, to a card that takes integers. Nothing is computed, so nothing is
// checked. Audio thread; may not lock or allocate.

extension SampleEncoder {
  /// Writes frames of integers of 16 bits, where there are direct ways to a format of integers.
  @_noLocks @_noAllocation
  func copyIntegers(_ frames: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer) {
    if case .s16 = format { return output.copyMemory(from: frames, byteCount: 4 * count) }
    var shift: Int32 = 8
    if case .s32 = format { shift = 16 }
    var i = 0
    while i &+ 4 <= count {
      let integers = frames.loadUnaligned(fromByteOffset: i &* 4, as: SIMD8<Int16>.self)
      let steps = Integers(truncatingIfNeeded: integers) &<< shift
      if case .s32 = format {
        output.storeBytes(of: steps, toByteOffset: i &* 8, as: Integers.self)
      } else {
        store24(steps, at: output + i &* frameBytes)
      }
      i = i &+ 4
    }
    i *= 2
    while i < 2 * count {
      let sample = Int32(frames.loadUnaligned(fromByteOffset: 2 * i, as: Int16.self))
      storeOne(sample &<< shift, at: output + i * format.bytes)
      i += 1
    }
  }
}
