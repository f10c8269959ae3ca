// A ring's samples as the arithmetic takes them. Audio thread; may not lock or allocate.

import AudioRing

extension RingFrames {
  /// Four frames as Float32, from one on. Whoever has a loop for each form names it (`samples`).
  @inline(__always) @_noLocks @_noAllocation
  func block(_ frame: Int, as samples: RingSamples) -> SIMD8<Float> {
    guard samples.areIntegers else {
      return start.loadUnaligned(fromByteOffset: frame &* 8, as: SIMD8<Float>.self)
    }
    // From zero on, a step is the last digit of floats between 256 and 512.
    var halves = SIMD16<UInt16>(repeating: UInt16(truncatingIfNeeded: Float(256).bitPattern &>> 16))
    halves.evenHalf = start.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<UInt16>.self) ^ 0x8000
    return unsafeBitCast(halves, to: SIMD8<Float>.self) - 257
  }
}
