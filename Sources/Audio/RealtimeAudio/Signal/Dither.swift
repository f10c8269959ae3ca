// Triangular dither whose noise is a function of the frame number, and the rule for when it is needed.
// Part of the mixer's restorable state; audio thread; may not lock or allocate.

/// Decides frame by frame whether dither is needed: while frames that the output format cannot hold exactly
/// have been seen lately. It looks only back, so frames rendered again come out the same.
struct Dither: Sendable {
  /// Frames for which dither stays on after the last inexact one: it must not flicker with the signal.
  static var hold: Int32 {
    @_noLocks @_noAllocation get { 8192 }
  }
  /// Frames that are dithered whatever they are.
  private(set) var remaining: Int32 = 0

  @_noLocks @_noAllocation init() {}

  var isIdle: Bool {
    @_noLocks @_noAllocation get { remaining == 0 }
  }

  /// Whether that many next frames are dithered whatever they are.
  @_noLocks @_noAllocation
  func lasts(_ frames: Int) -> Bool { Int(remaining) >= frames }

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
}

/// Triangular noise, row after row of four stereo frames: a function of the frame number alone, wherever one
/// begins.
///
/// A hash for every sample would be the dearest part of all that a mixer does. So only every 64th row is
/// one, of its number (the finaliser of MurmurHash3); from there the sixteen uniform values of a row go on as
/// congruential generators of 16 bits. No correlation shows in a million frames.
struct DitherNoise {
  /// Frames from one hash to the next.
  private static var span: Int64 {
    @_noLocks @_noAllocation get { 256 }
  }
  /// Frames of a row; rows begin at multiples of it.
  private static var rowFrames: Int64 {
    @_noLocks @_noAllocation get { 4 }
  }
  /// Uniform values in the low halves of floats that all have the same exponent, so that their differences are
  /// noise without a conversion.
  private var first = SIMD8<UInt32>(repeating: 0)
  private var second = SIMD8<UInt32>(repeating: 0)
  private let exponent: UInt32
  private var frame: Int64

  /// The noise from the row on in which `frame` lies, in (-1, 1) times `step`, one over a power of two.
  @_noLocks @_noAllocation
  init(at frame: Int64, step: Float) {
    let row = frame & ~(Self.rowFrames - 1)
    exponent = (step * 128).bitPattern
    self.frame = row & ~(Self.span - 1)
    hash()
    while self.frame < row { generate() }
  }

  @_noLocks @_noAllocation
  private mutating func hash() {
    var x = SIMD8<UInt32>(0, 1, 2, 3, 4, 5, 6, 7) &+ UInt32(truncatingIfNeeded: frame &>> 3)
    x ^= x &>> 16
    x = x &* 0x85EB_CA6B
    x ^= x &>> 13
    x = x &* 0xC2B2_AE35
    x ^= x &>> 16
    first = x & 0xFFFF | exponent
    second = x &>> 16 | exponent
  }

  @inline(__always) @_noLocks @_noAllocation
  private mutating func generate() {
    frame &+= Self.rowFrames
    first = Self.following(first)
    second = Self.following(second)
  }

  /// The generators' step in the low halves; the exponents stay.
  @inline(__always) @_noLocks @_noAllocation
  private static func following(_ values: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let factors = unsafeBitCast(SIMD8<UInt32>(repeating: 1 << 16 | 47485), to: SIMD16<UInt16>.self)
    let terms = unsafeBitCast(SIMD8<UInt32>(repeating: 12345), to: SIMD16<UInt16>.self)
    return unsafeBitCast(
      unsafeBitCast(values, to: SIMD16<UInt16>.self) &* factors &+ terms, to: SIMD8<UInt32>.self)
  }

  /// The next row. `isLastOfFour` is false only for rows that are known not to be the last of four: what follows
  /// them needs no look at the frame.
  @inline(__always) @_noLocks @_noAllocation
  mutating func next(isLastOfFour: Bool = true) -> SIMD8<Float> {
    let high = unsafeBitCast(first, to: SIMD8<Float>.self)
    let low = unsafeBitCast(second, to: SIMD8<Float>.self)
    generate()
    if isLastOfFour, frame & (Self.span - 1) == 0 { hash() }
    return high - low
  }
}
