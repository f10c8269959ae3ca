// Fast paths to S32 and S24. A Float holds 24 bits, so a sample is converted in two steps: its nearest multiple of
// 2^16, and the remainder. Audio thread: no locks, no allocation.

import AudioRing

extension SampleEncoder {
  /// Encodes S32 as long as the samples are within full scale; S32 needs only rounding.
  ///
  /// - Returns: Frames encoded.
  @_noLocks @_noAllocation
  func copyWide(
    _ frames: RingFrames, count: Int, gains: SourceGains, into output: UnsafeMutableRawPointer
  ) -> Int {
    frames.samples.areIntegers
      ? copyWide(frames, .integers, count: count, gains: gains, into: output)
      : copyWide(frames, .floats, count: count, gains: gains, into: output)
  }

  @inline(__always) @_noLocks @_noAllocation
  private func copyWide(
    _ frames: RingFrames, _ samples: RingSamples, count: Int, gains: SourceGains,
    into output: UnsafeMutableRawPointer
  ) -> Int {
    // Integer samples stay within full scale at gains up to 1. Skipping their check saves a fifth of the time.
    guard !samples.areIntegers || gains.own * gains.master <= 1 else { return 0 }
    let gains = SourceGains(own: gains.own, master: gains.master * 32768)
    var i = 0
    while i &+ 16 <= count {
      let place = output + i &* 8
      var check = Wide(highest: 32768)
      place.storeBytes(of: check.integers(gains, frames.block(i, as: samples)), as: Integers.self)
      (place + 32).storeBytes(of: check.integers(gains, frames.block(i &+ 4, as: samples)), as: Integers.self)
      (place + 64).storeBytes(of: check.integers(gains, frames.block(i &+ 8, as: samples)), as: Integers.self)
      (place + 96).storeBytes(
        of: check.integers(gains, frames.block(i &+ 12, as: samples)), as: Integers.self)
      guard samples.areIntegers || check.isWithin else { break }
      i = i &+ 16
    }
    while i &+ 4 <= count {
      var check = Wide(highest: 32768)
      (output + i &* 8).storeBytes(of: check.integers(gains, frames.block(i, as: samples)), as: Integers.self)
      guard samples.areIntegers || check.isWithin else { break }
      i = i &+ 4
    }
    return i
  }

  /// Copies frames while all are exact in S24 and within full scale.
  ///
  /// - Returns: Frames copied.
  @_noLocks @_noAllocation
  func copyExact24(_ frames: RingFrames, count: Int, into output: UnsafeMutableRawPointer) -> Int {
    let gains = SourceGains(own: 1, master: 128)
    var i = 0
    while i &+ 16 <= count {
      let place = output + i &* frameBytes
      var check = Wide(highest: 128)
      store24(check.integers(gains, frames.block(i, as: .floats)), at: place)
      store24(
        check.integers(gains, frames.block(i &+ 4, as: .floats)), at: place + 4 &* frameBytes)
      store24(
        check.integers(gains, frames.block(i &+ 8, as: .floats)), at: place + 8 &* frameBytes)
      store24(
        check.integers(gains, frames.block(i &+ 12, as: .floats)), at: place + 12 &* frameBytes)
      guard check.isWithin, check.isExact else { break }
      i = i &+ 16
    }
    while i &+ 4 <= count {
      var check = Wide(highest: 128)
      store24(
        check.integers(gains, frames.block(i, as: .floats)), at: output + i &* frameBytes)
      guard check.isWithin, check.isExact else { break }
      i = i &+ 4
    }
    return i
  }

  /// Encodes S24 with gains and dither as long as all samples are well within full scale.
  ///
  /// - Parameters:
  ///   - frames: Frames to encode.
  ///   - count: Number of frames, all of them dithered.
  ///   - gains: Gains to apply.
  ///   - frame: Timeline frame of the first one, a multiple of 16.
  ///   - output: Memory for `count` frames.
  /// - Returns: Frames encoded.
  @_noLocks @_noAllocation
  func copyDithered24(
    _ frames: RingFrames, count: Int, gains: SourceGains, at frame: Int64,
    into output: UnsafeMutableRawPointer
  ) -> Int {
    let gains = SourceGains(own: gains.own, master: gains.master * 128)
    var noise = DitherNoise(at: frame, step: 1)
    let samples = frames.samples
    var i = 0
    while i &+ 16 <= count {
      let place = output + i &* frameBytes
      var check = Wide(highest: 128)
      store24(
        check.integers(gains, frames.block(i, as: samples), noise.next(isLastOfFour: false)), at: place
      )
      store24(
        check.integers(gains, frames.block(i &+ 4, as: samples), noise.next(isLastOfFour: false)),
        at: place + 4 &* frameBytes)
      store24(
        check.integers(gains, frames.block(i &+ 8, as: samples), noise.next(isLastOfFour: false)),
        at: place + 8 &* frameBytes)
      store24(
        check.integers(gains, frames.block(i &+ 12, as: samples), noise.next()),
        at: place + 12 &* frameBytes)
      guard check.isFarFromEnds else { break }
      i = i &+ 16
    }
    return i
  }

  /// Stores a block as S24, with three or four bytes per sample.
  @inline(__always) @_noLocks @_noAllocation
  func store24(_ value: Integers, at place: UnsafeMutableRawPointer) {
    guard case .s24Packed = format else { return place.storeBytes(of: value, as: Integers.self) }
    // The next sample overwrites each sample's fourth byte; the last sample is stored in two parts.
    for lane in 0..<7 { place.storeBytes(of: value[lane], toByteOffset: 3 &* lane, as: Int32.self) }
    place.storeBytes(of: Int16(truncatingIfNeeded: value[7]), toByteOffset: 21, as: Int16.self)
    place.storeBytes(of: UInt8(truncatingIfNeeded: value[7] &>> 16), toByteOffset: 23, as: UInt8.self)
  }

  /// Converts blocks to integers and records their range and exactness.
  private struct Wide {
    /// Adding one of these constants leaves a Float's nearest integer in the low bits. Their own bits cancel out in the
    /// sum of both parts, with the coarse one shifted left by 16.
    private static var coarseMagic: Float {
      @inline(__always) @_noLocks @_noAllocation get { 12_563_648 }
    }
    private static var fineMagic: Float {
      @inline(__always) @_noLocks @_noAllocation get { 12_582_912 }
    }
    /// Full scale in multiples of 2^16 steps.
    private let highest: UInt32
    private var outside = SIMD8<UInt32>(repeating: 0)
    private var error = SIMD8<UInt32>(repeating: 0)
    private var near = SIMD8<UInt32>(repeating: 0)

    @inline(__always) @_noLocks @_noAllocation
    init(highest: UInt32) { self.highest = highest }

    /// Scales a block to multiples of 2^16 steps and rounds it to steps.
    @inline(__always) @_noLocks @_noAllocation
    mutating func integers(_ gains: SourceGains, _ block: Block) -> Integers {
      let coarse = gains.applied(to: block)
      let shifted = coarse + Block(repeating: Self.coarseMagic)
      let rest = (coarse - (shifted - Block(repeating: Self.coarseMagic))) * 65536
      let fine = rest + Block(repeating: Self.fineMagic)
      error |= unsafeBitCast((fine - Block(repeating: Self.fineMagic)) - rest, to: SIMD8<UInt32>.self)
      let bits = unsafeBitCast(shifted, to: SIMD8<UInt32>.self)
      outside |= bits &- (Self.coarseMagic.bitPattern &- highest)
      // Just below negative full scale the coarse part is still in range, but the fraction moves the sum out of range.
      outside |= SampleEncoder.beyond(coarse, Float(highest))
      return unsafeBitCast((bits &<< 16) &+ unsafeBitCast(fine, to: SIMD8<UInt32>.self), to: Integers.self)
    }

    /// Scales and rounds a block with noise, which is given in steps.
    @inline(__always) @_noLocks @_noAllocation
    mutating func integers(_ gains: SourceGains, _ block: Block, _ noise: Block) -> Integers {
      let coarse = gains.applied(to: block)
      let shifted = coarse + Block(repeating: Self.coarseMagic)
      let rest = (coarse - (shifted - Block(repeating: Self.coarseMagic))) * 65536 + noise
      let fine = rest + Block(repeating: Self.fineMagic)
      near |= SampleEncoder.beyond(coarse, Float(highest) - 0x1p-12)
      let bits = unsafeBitCast(shifted, to: SIMD8<UInt32>.self)
      return unsafeBitCast((bits &<< 16) &+ unsafeBitCast(fine, to: SIMD8<UInt32>.self), to: Integers.self)
    }

    /// Whether no sample exceeded full scale or was NaN.
    var isWithin: Bool {
      @inline(__always) @_noLocks @_noAllocation get {
        SampleEncoder.isZero(outside & ~(2 &* highest &- 1))
      }
    }

    /// Whether no precision was lost.
    var isExact: Bool {
      @inline(__always) @_noLocks @_noAllocation get { SampleEncoder.isZero(error) }
    }

    /// Whether noise and rounding could not move any sample beyond full scale.
    var isFarFromEnds: Bool {
      @inline(__always) @_noLocks @_noAllocation get { SampleEncoder.isZero(near) }
    }
  }
}
