// The fastest path: 16-bit samples at unity gain to a card with an integer format. Nothing is computed, so no check is
// needed. Audio thread: no locks, no allocation.

extension SampleEncoder {
  /// Writes 16-bit integer frames to an output with an integer format.
  @_noLocks @_noAllocation
  func copyIntegers(_ frames: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer) {
    if case .s16 = format { return output.copyMemory(from: frames, byteCount: 4 * count) }
    var i = 0
    let whole = count & ~3
    if case .s32 = format {
      while i < whole {
        output.storeBytes(of: Self.moved(frames, i), toByteOffset: i &* 8, as: Integers.self)
        i = i &+ 4
      }
    } else {
      while i < whole {
        store24(Self.moved(frames, i) &>> 8, at: output + i &* frameBytes)
        i = i &+ 4
      }
    }
    i *= 2
    var shift: Int32 = 8
    if case .s32 = format { shift = 16 }
    while i < 2 * count {
      let sample = Int32(frames.loadUnaligned(fromByteOffset: 2 * i, as: Int16.self))
      storeOne(sample &<< shift, at: output + i * format.bytes)
      i += 1
    }
  }

  /// Four frames as the upper halves of S32, starting at an offset.
  @inline(__always) @_noLocks @_noAllocation
  private static func moved(_ frames: UnsafeRawPointer, _ frame: Int) -> Integers {
    var halves = SIMD16<Int16>(repeating: 0)
    halves.oddHalf = frames.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<Int16>.self)
    return unsafeBitCast(halves, to: Integers.self)
  }
}
