// Fast paths to S16: exact blocks, and blocks that need only gain and dither. Both store first, check once per four
// blocks, and leave rejected frames to `encode`. Audio thread: no locks, no allocation.

import AudioRing

extension SampleEncoder {
  /// Copies frames while all are exact in S16 and within full scale, sixteen at a time.
  ///
  /// - Returns: Frames copied.
  @_noLocks @_noAllocation
  func copyExact16(_ floats: UnsafeRawPointer, count: Int, into output: UnsafeMutableRawPointer) -> Int {
    var i = 0
    while i &+ 16 <= count {
      // The check runs once per four blocks, after the stores.
      let source = floats + i &* 8
      let place = output + i &* 4
      var check = ExactCheck()
      check.store(source, at: place)
      check.store(source + 32, at: place + 16)
      check.store(source + 64, at: place + 32)
      check.store(source + 96, at: place + 48)
      guard check.isPassed else { break }
      i = i &+ 16
    }
    while i + 4 <= count {
      var check = ExactCheck()
      check.store(floats + i * 8, at: output + i * 4)
      guard check.isPassed else { break }
      i += 4
    }
    return i
  }

  /// Samples as S16 plus 2^15, in 32 bits.
  ///
  /// Adding 1.5 * 2^8 has left the nearest multiple of 2^-15 in the low bits. Values out of range and NaN have bits
  /// above the sixteenth.
  @inline(__always) @_noLocks @_noAllocation
  private static func biased(_ shifted: Block) -> SIMD8<UInt32> {
    unsafeBitCast(shifted, to: SIMD8<UInt32>.self) &- (Float(384).bitPattern - 0x8000)
  }

  /// Whether all bits are zero. `all` would test one lane after another.
  @inline(__always) @_noLocks @_noAllocation
  static func isZero(_ value: SIMD8<UInt32>) -> Bool {
    let quads = unsafeBitCast(value, to: SIMD4<UInt64>.self)
    let pairs = quads.lowHalf | quads.highHalf
    return pairs[0] | pairs[1] == 0
  }

  private static var shift16: Block {
    @inline(__always) @_noLocks @_noAllocation get { Block(repeating: 384) }
  }

  /// Clamps integers to S16. The compiler turns a minimum and maximum per lane into one saturating instruction.
  @inline(__always) @_noLocks @_noAllocation
  static func saturated(_ steps: Integers) -> SIMD8<Int16> {
    var narrow = SIMD8<Int16>()
    for lane in 0..<8 { narrow[lane] = Int16(truncatingIfNeeded: min(max(steps[lane], -32768), 32767)) }
    return narrow
  }

  /// Stores blocks as S16 and records whether all samples were exact and in range.
  private struct ExactCheck {
    private var error = SIMD8<UInt32>(repeating: 0)
    private var bits = SIMD8<UInt32>(repeating: 0)

    @_noLocks @_noAllocation init() {}

    @inline(__always) @_noLocks @_noAllocation
    mutating func store(_ source: UnsafeRawPointer, at place: UnsafeMutableRawPointer) {
      let block = source.loadUnaligned(as: Block.self)
      let shifted = block + SampleEncoder.shift16
      // Nonzero if precision was lost.
      error |= unsafeBitCast((shifted - SampleEncoder.shift16) - block, to: SIMD8<UInt32>.self)
      let biased = SampleEncoder.biased(shifted)
      bits |= biased
      let steps = unsafeBitCast(biased &- 0x8000, to: Integers.self)
      place.storeBytes(of: SampleEncoder.saturated(steps), as: SIMD8<Int16>.self)
    }

    var isPassed: Bool {
      @inline(__always) @_noLocks @_noAllocation get {
        SampleEncoder.isZero(error | (bits & 0xFFFF_0000))
      }
    }
  }

  /// Encodes frames with gains and dither as long as all are well within full scale. Most frames of lossy codecs take
  /// this path.
  ///
  /// - Parameters:
  ///   - frames: Frames to encode.
  ///   - count: Number of frames, all of them dithered.
  ///   - gains: Gains to apply.
  ///   - frame: Timeline frame of the first one, a multiple of 16.
  ///   - output: Memory for `count` frames.
  /// - Returns: Frames encoded.
  @_noLocks @_noAllocation
  func copyDithered16(
    _ frames: RingFrames, count: Int, gains: SourceGains, at frame: Int64,
    into output: UnsafeMutableRawPointer
  ) -> Int {
    var noise = DitherNoise(at: frame, step: 0x1p-15)
    let samples = frames.samples
    var i = 0
    while i &+ 16 <= count {
      let place = output + i &* 4
      var check = DitheredCheck(gains)
      check.store(frames.block(i, as: samples), noise.next(isLastOfFour: false), at: place)
      check.store(frames.block(i &+ 4, as: samples), noise.next(isLastOfFour: false), at: place + 16)
      check.store(frames.block(i &+ 8, as: samples), noise.next(isLastOfFour: false), at: place + 32)
      check.store(frames.block(i &+ 12, as: samples), noise.next(), at: place + 48)
      guard check.isPassed else { break }
      i = i &+ 16
    }
    return i
  }

  /// Stores blocks as S16 with noise and records the extremes.
  private struct DitheredCheck {
    private let gains: SourceGains
    private var highest = SIMD8<Int16>(repeating: 0)
    private var lowest = SIMD8<Int16>(repeating: 0)

    @inline(__always) @_noLocks @_noAllocation
    init(_ gains: SourceGains) { self.gains = gains }

    @inline(__always) @_noLocks @_noAllocation
    mutating func store(_ source: Block, _ noise: Block, at place: UnsafeMutableRawPointer) {
      let block = gains.applied(to: source)
      // Adding 1.5 * 2^8 rounds to steps; NaN becomes an extreme of S16.
      let shifted = (block + noise) + SampleEncoder.shift16
      let steps = SampleEncoder.saturated(
        unsafeBitCast(shifted, to: Integers.self) &- Int32(bitPattern: Float(384).bitPattern))
      place.storeBytes(of: steps, as: SIMD8<Int16>.self)
      highest = pointwiseMax(highest, steps)
      lowest = pointwiseMin(lowest, steps)
    }

    /// Noise and rounding add less than two steps, so within these limits no sample exceeded full scale.
    var isPassed: Bool {
      @inline(__always) @_noLocks @_noAllocation get {
        let steps = ((highest &+ 2) | ~(lowest &- 2)) & .min
        let pairs = unsafeBitCast(steps, to: SIMD2<UInt64>.self)
        return pairs[0] | pairs[1] == 0
      }
    }
  }
}
