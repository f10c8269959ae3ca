// Loads blocks of four frames from a ring for vector arithmetic. Audio thread: no locks, no allocation.

import AudioRing

extension RingFrames {
  /// Four frames as Float32, starting at an offset.
  ///
  /// - Parameters:
  ///   - frame: Offset of the first frame.
  ///   - samples: The sample format. A loop that is specialised for a format passes it as a constant.
  @inline(__always) @_noLocks @_noAllocation
  func block(_ frame: Int, as samples: RingSamples) -> SIMD8<Float> {
    guard samples.areIntegers else {
      return start.loadUnaligned(fromByteOffset: frame &* 8, as: SIMD8<Float>.self)
    }
    // In floats between 256 and 512, the last digit of the upper half is one step of a 16-bit sample.
    var halves = SIMD16<UInt16>(repeating: UInt16(truncatingIfNeeded: Float(256).bitPattern &>> 16))
    halves.evenHalf = start.loadUnaligned(fromByteOffset: frame &* 4, as: SIMD8<UInt16>.self) ^ 0x8000
    return unsafeBitCast(halves, to: SIMD8<Float>.self) - 257
  }
}
