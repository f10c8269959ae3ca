// Fast paths from a ring or the mix to the output's format, which most frames take. Each stores its result first,
// checks it once per four blocks, and leaves rejected frames to `encode`, which gives the same result. Audio thread: no
// locks, no allocation.

import AudioRing

/// Gains of the samples on the fast path, applied in this order. A single product would be rounded differently from the
/// mix.
struct SourceGains: Sendable {
  /// Gain of the deck.
  let own: Float
  /// Gain of the whole mix.
  let master: Float

  @_noLocks @_noAllocation
  init(own: Float, master: Float) {
    self.own = own
    self.master = master
  }

  static var unity: SourceGains {
    @_noLocks @_noAllocation get { SourceGains(own: 1, master: 1) }
  }

  var isUnity: Bool {
    @_noLocks @_noAllocation get { own == 1 && master == 1 }
  }

  @inline(__always) @_noLocks @_noAllocation
  func applied(to block: SampleEncoder.Block) -> SampleEncoder.Block { (block * own) * master }
}

extension SampleEncoder {
  /// Whether this output has fast paths.
  var isDirect: Bool {
    @_noLocks @_noAllocation get { channels == 2 }
  }

  /// Encodes frames as long as they need only gains and the running dither, and stay within full scale.
  ///
  /// - Parameters:
  ///   - frames: Frames to encode.
  ///   - count: Number of frames.
  ///   - gains: Gains to apply.
  ///   - frame: Timeline frame of the first one.
  ///   - dither: State of the dither.
  ///   - output: Memory for `count` frames.
  /// - Returns: Frames encoded.
  @_noLocks @_noAllocation
  func encodeDirectly(
    _ frames: RingFrames, count: Int, gains: SourceGains, at frame: Int64, dither: inout Dither,
    into output: UnsafeMutableRawPointer
  ) -> Int {
    guard isDirect else { return 0 }
    if frames.samples.areIntegers, format.isInteger, gains.isUnity, dither.isIdle {
      copyIntegers(frames.start, count: count, into: output)
      return count
    }
    switch format {
    case .s32: return copyWide(frames, count: count, gains: gains, into: output)
    case .float32: return copyFloats(frames, count: count, gains: gains, into: output)
    case .s16, .s24, .s24Packed: break
    }
    if dither.isIdle {
      guard gains.isUnity else { return 0 }
      if case .s16 = format { return copyExact16(frames.start, count: count, into: output) }
      return copyExact24(frames, count: count, into: output)
    }
    let lasting = min(count, Int(dither.remaining)) & ~(Self.stride - 1)
    guard lasting > 0, frame & Int64(Self.stride - 1) == 0 else { return 0 }
    let done =
      if case .s16 = format {
        copyDithered16(frames, count: lasting, gains: gains, at: frame, into: output)
      } else {
        copyDithered24(frames, count: lasting, gains: gains, at: frame, into: output)
      }
    noteExactness(of: frames, count: done, gains: gains, dither: &dither)
    return done
  }

  @_noLocks @_noAllocation
  private func copyFloats(
    _ frames: RingFrames, count: Int, gains: SourceGains, into output: UnsafeMutableRawPointer
  ) -> Int {
    var i = 0
    while i + Self.blockFrames <= count {
      // Check the value that is stored, because the ring's writer may change the source. Adding 0 clears the sign of
      // zeros, as the mix does.
      let block = gains.applied(to: frames.block(i, as: frames.samples)) + 0
      guard Self.isZero(Self.beyond(block, Float(1))) else { break }
      output.storeBytes(of: block, toByteOffset: i * 8, as: Block.self)
      i += Self.blockFrames
    }
    return i
  }

  /// The highest bit of a lane is set if the sample's magnitude exceeds `limit` or the sample is NaN.
  @inline(__always) @_noLocks @_noAllocation
  static func beyond(_ block: Block, _ limit: Float) -> SIMD8<UInt32> {
    let size = unsafeBitCast(block, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF
    return (limit.bitPattern &- size) & 0x8000_0000
  }

  /// Updates the dither state after frames that were dithered in any case: only the last inexact frame matters.
  @_noLocks @_noAllocation
  private func noteExactness(of frames: RingFrames, count: Int, gains: SourceGains, dither: inout Dither) {
    var i = count
    while i >= Self.blockFrames {
      i -= Self.blockFrames
      let exact = exactness(of: gains.applied(to: frames.block(i, as: frames.samples)))
      if all(exact) { continue }
      return dither.noteInexact(framesSince: count - 1 - i - Self.lastInexact(exact))
    }
    dither.noteExact(frames: count)
  }
}
