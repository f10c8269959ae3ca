// Sums and products of interleaved stereo frames, four at a time. A frame's result does not depend on its position in a
// block, so that the split into stretches is inaudible. Audio thread: no locks, no allocation.

import AudioRing

/// A linear gain: `first` at its origin, plus `step` per frame.
struct GainLine {
  /// Gain at the origin.
  let first: Float
  let step: Float
  /// Frames from the origin to the first frame in use.
  let offset: Int
  /// Number of frames for which it is valid.
  let frames: Int

  @_noLocks @_noAllocation
  init(first: Float, step: Float, offset: Int, frames: Int) {
    self.first = first
    self.step = step
    self.offset = offset
    self.frames = frames
  }

  /// Gain at `frame` frames after `offset`.
  @inline(__always) @_noLocks @_noAllocation
  func value(_ frame: Int) -> Float { first + step * Float(offset &+ frame) }
}

/// The mixer's arithmetic on samples.
enum BlockMath {
  private typealias Block = SIMD8<Float>

  /// Clamps a sample from an untrusted worker to ±8; infinities and NaN become silence.
  @inline(__always) @_noLocks @_noAllocation
  private static func sane(_ sample: Float) -> Float {
    // Comparisons with NaN are false.
    sample.magnitude < .infinity ? max(min(sample, 8), -8) : 0
  }

  /// Clamps a block of samples. `replacing` is the form that the compiler turns into vector instructions.
  @inline(__always) @_noLocks @_noAllocation
  private static func sane(_ block: Block) -> Block {
    let bits = unsafeBitCast(block, to: SIMD8<UInt32>.self)
    // All bits set for finite samples: the exponent is not the maximum.
    let isNumber = unsafeBitCast(
      unsafeBitCast((bits & 0x7FFF_FFFF) &- 0x7F80_0000, to: SIMD8<Int32>.self) &>> 31, to: SIMD8<UInt32>.self
    )
    let (high, low) = (Block(repeating: 8), Block(repeating: -8))
    let cut = block.replacing(with: high, where: block .> high)
    let bounded = cut.replacing(with: low, where: cut .< low)
    return unsafeBitCast(unsafeBitCast(bounded, to: SIMD8<UInt32>.self) & isNumber, to: Block.self)
  }

  /// Adds frames times a constant gain to the mix; stores them if `areFirst`.
  @_noLocks @_noAllocation
  static func add(
    _ frames: RingFrames, times gain: Float, to mix: UnsafeMutablePointer<Float>, count: Int, areFirst: Bool
  ) {
    let line = GainLine(first: gain, step: 0, offset: 0, frames: count)
    if areFirst {
      add(frames, isMoving: false, line, 1, to: mix, count: count, areFirst: true)
    } else {
      add(frames, isMoving: false, line, 1, to: mix, count: count, areFirst: false)
    }
  }

  /// Adds frames times a linear gain times a constant gain to the mix; stores them if `areFirst`.
  @_noLocks @_noAllocation
  static func add(
    _ frames: RingFrames, times line: GainLine, _ own: Float, to mix: UnsafeMutablePointer<Float>, count: Int,
    areFirst: Bool
  ) {
    if areFirst {
      add(frames, isMoving: true, line, own, to: mix, count: count, areFirst: true)
    } else {
      add(frames, isMoving: true, line, own, to: mix, count: count, areFirst: false)
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private static func add(
    _ frames: RingFrames, isMoving: Bool, _ line: GainLine, _ own: Float,
    to mix: UnsafeMutablePointer<Float>, count: Int, areFirst: Bool
  ) {
    if frames.samples.areIntegers {
      add(frames, .integers, isMoving: isMoving, line, own, to: mix, count: count, areFirst: areFirst)
    } else {
      add(frames, .floats, isMoving: isMoving, line, own, to: mix, count: count, areFirst: areFirst)
    }
  }

  @inline(__always) @_noLocks @_noAllocation
  private static func add(
    _ frames: RingFrames, _ samples: RingSamples, isMoving: Bool, _ line: GainLine, _ own: Float,
    to mix: UnsafeMutablePointer<Float>, count: Int, areFirst: Bool
  ) {
    let target = UnsafeMutableRawPointer(mix)
    // Small integers are exact in Float, independent of the order of operations.
    var places = Block(0, 0, 1, 1, 2, 2, 3, 3) + Float(line.offset)
    var i = 0
    while i &+ 4 <= count {
      let gains = isMoving ? (places * line.step + line.first) * own : Block(repeating: line.first)
      let block = frames.block(i, as: samples)
      let before =
        areFirst ? Block(repeating: 0) : target.loadUnaligned(fromByteOffset: i &* 8, as: Block.self)
      target.storeBytes(
        of: before + (samples.areIntegers ? block : sane(block)) * gains, toByteOffset: i &* 8, as: Block.self
      )
      places += 4
      i = i &+ 4
    }
    while i < count {
      let gain = isMoving ? line.value(i) * own : line.first
      let frame = frames[i]
      mix[2 * i] = (areFirst ? 0 : mix[2 * i]) + sane(frame[0]) * gain
      mix[2 * i + 1] = (areFirst ? 0 : mix[2 * i + 1]) + sane(frame[1]) * gain
      i += 1
    }
  }

  /// Multiplies the mix by a gain.
  @_noLocks @_noAllocation
  static func scale(_ mix: UnsafeMutablePointer<Float>, by gain: Float, frames: Int) {
    let target = UnsafeMutableRawPointer(mix)
    var i = 0
    while i &+ 4 <= frames {
      let block = target.loadUnaligned(fromByteOffset: i &* 8, as: Block.self) * gain
      target.storeBytes(of: block, toByteOffset: i &* 8, as: Block.self)
      i = i &+ 4
    }
    while i < frames {
      mix[2 * i] *= gain
      mix[2 * i + 1] *= gain
      i += 1
    }
  }

  /// Multiplies four frames of the mix by gains.
  @inline(__always) @_noLocks @_noAllocation
  static func scale(_ mix: UnsafeMutablePointer<Float>, by gains: SIMD8<Float>) {
    let target = UnsafeMutableRawPointer(mix)
    target.storeBytes(of: target.loadUnaligned(as: Block.self) * gains, as: Block.self)
  }

  /// Replaces both channels by half of their sum.
  @_noLocks @_noAllocation
  static func fold(_ mix: UnsafeMutablePointer<Float>, frames: Int) {
    let target = UnsafeMutableRawPointer(mix)
    var i = 0
    while i &+ 4 <= frames {
      let block = target.loadUnaligned(fromByteOffset: i &* 8, as: Block.self)
      let sides = unsafeBitCast(block, to: SIMD4<UInt64>.self)
      let swapped = unsafeBitCast(sides &<< 32 | sides &>> 32, to: Block.self)
      target.storeBytes(of: (block + swapped) * 0.5, toByteOffset: i &* 8, as: Block.self)
      i = i &+ 4
    }
    while i < frames {
      let sum = (mix[2 * i] + mix[2 * i + 1]) * 0.5
      mix[2 * i] = sum
      mix[2 * i + 1] = sum
      i += 1
    }
  }
}
