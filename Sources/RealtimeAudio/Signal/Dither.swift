// Triangular dither whose noise is a function of the frame number, and the rule for when it is needed.
// Part of the mixer's restorable state; audio thread; may not lock or allocate.

/// Decides frame by frame whether dither is needed: while frames that the output format cannot hold exactly
/// have been seen lately. It looks only back, so frames rendered again come out the same.
struct Dither: Sendable {
  /// Frames for which dither stays on after the last inexact one: it must not flicker with the signal.
  static var hold: Int32 {
    @_noLocks @_noAllocation get { 8192 }
  }
  private var remaining: Int32 = 0

  @_noLocks @_noAllocation init() {}

  var isIdle: Bool {
    @_noLocks @_noAllocation get { remaining == 0 }
  }

  /// Whether the next four frames are dithered whatever they are.
  var isSettled: Bool {
    @_noLocks @_noAllocation get { remaining >= 4 }
  }

  /// Takes note of one frame; true if it is to be dithered.
  @_noLocks @_noAllocation
  mutating func isNeeded(exact: Bool) -> Bool {
    if !exact {
      remaining = Self.hold
      return true
    }
    if remaining == 0 { return false }
    remaining -= 1
    return true
  }

  /// Takes note of that many exact frames.
  @_noLocks @_noAllocation
  mutating func noteExact(frames: Int) { remaining -= Int32(truncatingIfNeeded: frames) }

  /// Takes note of an inexact frame and that many exact ones after it.
  @_noLocks @_noAllocation
  mutating func noteInexact(framesSince: Int) {
    remaining = Self.hold - Int32(truncatingIfNeeded: framesSince)
  }

  /// Triangular noise in (-1, 1) steps of the output for four stereo frames from `frame` on: the difference
  /// of the two uniform halves of a 32-bit mix of frame and channel (the finaliser of MurmurHash3).
  @_noLocks @_noAllocation
  static func noise(frame: Int64) -> SIMD8<Float> {
    let lanes = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7)
    var x = lanes &+ UInt32(truncatingIfNeeded: frame &* 2)
    x ^= x &>> 16
    x = x &* 0x85EB_CA6B
    x ^= x &>> 13
    x = x &* 0xC2B2_AE35
    x ^= x &>> 16
    // The halves as floats in [1, 2) by their bits: cheaper than a conversion.
    let exponent = SIMD8<UInt32>(repeating: 0x3F80_0000)
    let high = unsafeBitCast((x &>> 16) &<< 7 | exponent, to: SIMD8<Float>.self)
    let low = unsafeBitCast((x & 0xFFFF) &<< 7 | exponent, to: SIMD8<Float>.self)
    return high - low
  }
}
