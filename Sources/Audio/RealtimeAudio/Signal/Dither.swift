// Triangular dither whose noise is a function of the frame number, and the decision when it is needed. Part of the
// mixer's restorable state. Audio thread: no locks, no allocation.

/// Enables dither while recent frames were not exactly representable in the output format.
///
/// It depends only on earlier frames, so that frames rendered again have the same result.
struct Dither: Sendable {
  /// Frames for which dither stays on after the last inexact one, so that it does not switch with the signal.
  static var hold: Int32 {
    @_noLocks @_noAllocation get { 8192 }
  }
  /// Frames that are still dithered without an inexact one.
  private(set) var remaining: Int32 = 0

  @_noLocks @_noAllocation init() {}

  var isIdle: Bool {
    @_noLocks @_noAllocation get { remaining == 0 }
  }

  /// Whether the next `frames` frames are dithered in any case.
  @_noLocks @_noAllocation
  func lasts(_ frames: Int) -> Bool { Int(remaining) >= frames }

  /// Records one frame.
  ///
  /// - Returns: Whether the frame must be dithered.
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

  /// Records `frames` exact frames while dither is on.
  @_noLocks @_noAllocation
  mutating func noteExact(frames: Int) { remaining -= Int32(truncatingIfNeeded: frames) }

  /// Records an inexact frame followed by `framesSince` exact ones.
  @_noLocks @_noAllocation
  mutating func noteInexact(framesSince: Int) {
    remaining = Self.hold - Int32(truncatingIfNeeded: framesSince)
  }
}

/// Triangular noise in rows of four stereo frames, as a function of the frame number only.
///
/// Hashing every sample would be the most expensive part of the mixer. So only every 64th row is a hash of its frame
/// number (the finaliser of MurmurHash3); the following rows continue its sixteen uniform values with 16-bit linear
/// congruential generators. No correlation was found in a million frames.
struct DitherNoise {
  /// Frames between two hashes.
  private static var span: Int64 {
    @_noLocks @_noAllocation get { 256 }
  }
  /// Frames per row; rows start at multiples of it.
  private static var rowFrames: Int64 {
    @_noLocks @_noAllocation get { 4 }
  }
  /// Uniform values in the low halves of floats with the same exponent. Their differences are noise without an integer
  /// conversion.
  private var first = SIMD8<UInt32>(repeating: 0)
  private var second = SIMD8<UInt32>(repeating: 0)
  private let exponent: UInt32
  private var frame: Int64

  /// Noise in (-1, 1) times `step`, from the row that contains `frame`.
  ///
  /// - Parameters:
  ///   - frame: A timeline frame.
  ///   - step: Scale of the noise; one, or one over a power of two.
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

  /// One step of the generators in the low halves; the exponents stay unchanged.
  @inline(__always) @_noLocks @_noAllocation
  private static func following(_ values: SIMD8<UInt32>) -> SIMD8<UInt32> {
    let factors = unsafeBitCast(SIMD8<UInt32>(repeating: 1 << 16 | 47485), to: SIMD16<UInt16>.self)
    let terms = unsafeBitCast(SIMD8<UInt32>(repeating: 12345), to: SIMD16<UInt16>.self)
    return unsafeBitCast(
      unsafeBitCast(values, to: SIMD16<UInt16>.self) &* factors &+ terms, to: SIMD8<UInt32>.self)
  }

  /// Returns the next row.
  ///
  /// - Parameter isLastOfFour: Pass false only for rows that are not the last of a group of four; the check for a new
  ///   hash is skipped then.
  @inline(__always) @_noLocks @_noAllocation
  mutating func next(isLastOfFour: Bool = true) -> SIMD8<Float> {
    let high = unsafeBitCast(first, to: SIMD8<Float>.self)
    let low = unsafeBitCast(second, to: SIMD8<Float>.self)
    generate()
    if isLastOfFour, frame & (Self.span - 1) == 0 { hash() }
    return high - low
  }
}
