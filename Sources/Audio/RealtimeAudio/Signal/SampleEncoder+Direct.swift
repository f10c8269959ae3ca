// The direct ways from a ring or the mix to the output's format: what most frames ever go through. Each writes first, checks
// once for four blocks whether that was right, and leaves the rest to `encode`, which would have written the same.
// Audio thread; may not lock or allocate.

import AudioRing

/// What samples are multiplied with on their way, one factor after the other: their product would be rounded otherwise than
/// where they are mixed.
struct SourceGains: Sendable {
  /// The deck's.
  let own: Float
  /// Of all that is heard.
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
  /// Whether there are direct ways at all.
  var isDirect: Bool {
    @_noLocks @_noAllocation get { channels == 2 }
  }

  /// Encodes frames as long as they need nothing but their gains and the dither that is on: all are within full scale.
  /// `frame` is the timeline frame of the first. Answers how many frames were taken.
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
      // What is checked is what is stored: the ring's writer may change it in between.
      // Plus nothing: where they are mixed, a zero has no sign.
      let block = gains.applied(to: frames.block(i, as: frames.samples)) + 0
      guard Self.isZero(Self.beyond(block, Float(1))) else { break }
      output.storeBytes(of: block, toByteOffset: i * 8, as: Block.self)
      i += Self.blockFrames
    }
    return i
  }

  /// Not zero in the highest bit where a sample's size is more than `limit`, or the sample is no number.
  @inline(__always) @_noLocks @_noAllocation
  static func beyond(_ block: Block, _ limit: Float) -> SIMD8<UInt32> {
    let size = unsafeBitCast(block, to: SIMD8<UInt32>.self) & 0x7FFF_FFFF
    return (limit.bitPattern &- size) & 0x8000_0000
  }

  /// Tells a dither that lasts beyond these frames how they were: only the last inexact one counts.
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
