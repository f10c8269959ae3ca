// Converts Float32 frames to the output's sample format, four at a time, where the fast paths (SampleEncoder+Direct) do
// not apply. Complete and partial blocks use the same code, so that the split into stretches is inaudible. Audio
// thread: no locks, no allocation.

import AudioRing

/// Writes interleaved stereo Float32 in the output's format, exactly where that is possible.
struct SampleEncoder: Sendable {
  let format: SampleFormat
  /// 1 or 2. For one channel the left samples are used, which the mixer has set to the mono sum.
  let channels: Int

  @_noLocks @_noAllocation
  init(format: SampleFormat, channels: Int) {
    self.format = format
    self.channels = channels
  }

  /// Bytes of one frame in the output's buffer.
  var frameBytes: Int {
    @_noLocks @_noAllocation get { format.bytes * channels }
  }

  /// A block of four stereo frames as floats; `Integers` is the same block as integers.
  typealias Block = SIMD8<Float>
  typealias Integers = SIMD8<Int32>
  static var blockFrames: Int {
    @_noLocks @_noAllocation get { 4 }
  }
  /// The fast path can start only at multiples of this frame number.
  static var stride: Int {
    @_noLocks @_noAllocation get { 16 }
  }

  /// Adding 1.5 * 2^23 leaves a Float's nearest integer (ties to even) in its low bits.
  private static var magic: Block {
    @_noLocks @_noAllocation get { Block(repeating: 12_582_912) }
  }

  /// Encodes mixed frames, with dither where it is needed.
  ///
  /// - Parameters:
  ///   - samples: Finite interleaved stereo samples, not far beyond full scale.
  ///   - frames: Number of frames.
  ///   - frame: Timeline frame of the first one.
  ///   - dither: State of the dither.
  ///   - output: Memory for `frames` frames.
  @_noLocks @_noAllocation
  func encode(
    _ samples: UnsafePointer<Float>, frames: Int, at frame: Int64, dither: inout Dither,
    into output: UnsafeMutableRawPointer
  ) {
    var i = 0
    while i < frames {
      i += encodeDirectly(
        RingFrames(samples + 2 * i, .floats), count: frames - i, gains: .unity, at: frame + Int64(i),
        dither: &dither,
        into: output + i * frameBytes)
      guard i < frames else { return }
      // Encode block by block, up to a boundary where the fast path may resume.
      let end =
        isDirect ? min(frames, i + Self.stride - Int((frame + Int64(i)) & Int64(Self.stride - 1))) : frames
      encodeBlocks(
        samples + 2 * i, frames: end - i, at: frame + Int64(i), dither: &dither, into: output + i * frameBytes
      )
      i = end
    }
  }

  @_noLocks @_noAllocation
  private func encodeBlocks(
    _ samples: UnsafePointer<Float>, frames: Int, at frame: Int64, dither: inout Dither,
    into output: UnsafeMutableRawPointer
  ) {
    var source = DitherNoise(at: frame, step: 1)
    var i = 0
    while i < frames {
      // Blocks are aligned to the rows of noise; the first and the last may be partial.
      let row = Int((frame + Int64(i)) & 3)
      let count = min(Self.blockFrames - row, frames - i)
      let block = load(samples + 2 * i, frames: count, row: row)
      let place = output + i * frameBytes
      let noise = source.next()
      if case .float32 = format {
        storeFloats(block, frames: count, row: row, at: place)
      } else {
        let noise = needed(noise, for: block, frames: count, row: row, dither: &dither)
        store(integers(block, noise: noise), frames: count, row: row, at: place)
      }
      i += count
    }
  }

  @_noLocks @_noAllocation
  private func load(_ samples: UnsafePointer<Float>, frames: Int, row: Int) -> Block {
    if frames == Self.blockFrames {
      return UnsafeRawPointer(samples).loadUnaligned(as: Block.self)
    }
    var block = Block(repeating: 0)
    var i = 0
    while i < 2 * frames {
      block[2 * row + i] = samples[i]
      i += 1
    }
    return block
  }

  /// The noise of a block, set to zero in frames that need no dither. Frames are checked one by one only where they
  /// differ.
  @_noLocks @_noAllocation
  private func needed(
    _ noise: Block, for block: Block, frames: Int, row: Int, dither: inout Dither
  ) -> Block {
    let exact = exactness(of: block)
    if frames == Self.blockFrames, dither.lasts(Self.blockFrames) {
      if all(exact) {
        dither.noteExact(frames: Self.blockFrames)
      } else {
        dither.noteInexact(framesSince: Self.blockFrames - 1 - Self.lastInexact(exact))
      }
      return noise
    }
    var noise = noise
    var i = row
    while i < row + frames {
      if !dither.isNeeded(exact: exact[2 * i] && exact[2 * i + 1]) {
        noise[2 * i] = 0
        noise[2 * i + 1] = 0
      }
      i += 1
    }
    return noise
  }

  /// Factor that scales full scale to multiples of 2^16 steps; for S16, to steps.
  private var coarseScale: Float {
    @_noLocks @_noAllocation get {
      switch format {
      case .s16, .s32: 32768
      case .s24, .s24Packed: 128
      case .float32: 1
      }
    }
  }

  /// Which samples the format represents exactly. S32 counts as exact: a Float's last bit is far below any converter's
  /// noise.
  @_noLocks @_noAllocation
  func exactness(of block: Block) -> SIMDMask<SIMD8<Int32>> {
    switch format {
    case .float32, .s32:
      return SIMDMask(repeating: true)
    case .s16:
      let scaled = block * 32768
      return (scaled + Self.magic) - Self.magic .== scaled
    case .s24, .s24Packed:
      let fine = (block * 128 - ((block * 128 + Self.magic) - Self.magic)) * 65536
      return (fine + Self.magic) - Self.magic .== fine
    }
  }

  /// Index of the last inexact frame in a block, which must contain one.
  @inline(__always) @_noLocks @_noAllocation
  static func lastInexact(_ exact: SIMDMask<SIMD8<Int32>>) -> Int {
    var last = blockFrames - 1
    while exact[2 * last] && exact[2 * last + 1] { last -= 1 }
    return last
  }

  /// Rounds to the format's steps, with `noise` in steps, and clamps to its range.
  @_noLocks @_noAllocation
  private func integers(_ block: Block, noise: Block) -> Integers {
    // The integer conversion is valid only slightly beyond full scale; larger values are clamped anyway.
    var bounded = block
    bounded.replace(with: Block(repeating: 1.25), where: bounded .> Block(repeating: 1.25))
    bounded.replace(with: Block(repeating: -1.25), where: bounded .< Block(repeating: -1.25))
    if case .s16 = format {
      let value = Self.rounded(bounded * 32768 + noise)
      return Self.clamped(value, to: 32767)
    }
    if case .s32 = format {
      bounded.replace(with: Block(repeating: 0.99999994), where: bounded .> Block(repeating: 0.99999994))
      bounded.replace(with: Block(repeating: -1), where: bounded .< Block(repeating: -1))
    }
    // In two parts of 16 bits, because a Float holds no more than 24.
    let coarse = bounded * coarseScale
    let whole = (coarse + Self.magic) - Self.magic
    let fine = (coarse - whole) * 65536 + noise
    let value = (Self.rounded(coarse) &<< 16) &+ Self.rounded(fine)
    if case .s32 = format { return value }
    return Self.clamped(value, to: 8_388_607)
  }

  /// Nearest integers of floats with magnitudes below 2^22.
  @_noLocks @_noAllocation
  private static func rounded(_ block: Block) -> Integers {
    unsafeBitCast(block + magic, to: Integers.self) &- unsafeBitCast(magic, to: Integers.self)
  }

  @_noLocks @_noAllocation
  private static func clamped(_ value: Integers, to highest: Int32) -> Integers {
    var value = value
    let high = Integers(repeating: highest)
    let low = Integers(repeating: -highest - 1)
    value.replace(with: high, where: value .> high)
    value.replace(with: low, where: value .< low)
    return value
  }

  @_noLocks @_noAllocation
  private func store(_ value: Integers, frames: Int, row: Int, at place: UnsafeMutableRawPointer) {
    if channels == 2, frames == Self.blockFrames {
      switch format {
      case .s16:
        place.storeBytes(of: SIMD8<Int16>(truncatingIfNeeded: value), as: SIMD8<Int16>.self)
        return
      case .s24, .s32:
        place.storeBytes(of: value, as: Integers.self)
        return
      case .s24Packed, .float32: break
      }
    }
    var i = 0
    while i < frames * channels {
      storeOne(value[2 * row + (channels == 2 ? i : 2 * i)], at: place + i * format.bytes)
      i += 1
    }
  }

  @_noLocks @_noAllocation
  func storeOne(_ value: Int32, at place: UnsafeMutableRawPointer) {
    switch format {
    case .s16: place.storeBytes(of: Int16(truncatingIfNeeded: value), as: Int16.self)
    case .s24, .s32: place.storeBytes(of: value, as: Int32.self)
    case .s24Packed:
      place.storeBytes(of: UInt8(truncatingIfNeeded: value), toByteOffset: 0, as: UInt8.self)
      place.storeBytes(of: UInt8(truncatingIfNeeded: value >> 8), toByteOffset: 1, as: UInt8.self)
      place.storeBytes(of: UInt8(truncatingIfNeeded: value >> 16), toByteOffset: 2, as: UInt8.self)
    case .float32: break
    }
  }

  @_noLocks @_noAllocation
  private func storeFloats(_ block: Block, frames: Int, row: Int, at place: UnsafeMutableRawPointer) {
    var i = 0
    while i < frames * channels {
      place.storeBytes(of: block[2 * row + (channels == 2 ? i : 2 * i)], toByteOffset: i * 4, as: Float.self)
      i += 1
    }
  }
}
