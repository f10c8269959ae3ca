// Sums and products of interleaved stereo frames, four at a time. A frame comes out the same whether it is taken in a block
// or by itself, so that the split into stretches never shows. Audio thread; may not lock or allocate.

import AudioRing

/// A gain in a straight line: so much at a frame, and so much more with each frame after it.
struct GainLine {
  /// At the place that the line is counted from.
  let first: Float
  let step: Float
  /// Frames from that place to the one where the line is taken up.
  let offset: Int
  /// Frames that it holds for from there.
  let frames: Int

  @_noLocks @_noAllocation
  init(first: Float, step: Float, offset: Int, frames: Int) {
    self.first = first
    self.step = step
    self.offset = offset
    self.frames = frames
  }

  /// The gain so many frames after `offset`.
  @inline(__always) @_noLocks @_noAllocation
  func value(_ frame: Int) -> Float { first + step * Float(offset &+ frame) }
}

/// The mixer's arithmetic on samples.
enum BlockMath {
  private typealias Block = SIMD8<Float>

  /// A hostile worker may write anything: what is no number is silence, what is absurd is cut.
  @inline(__always) @_noLocks @_noAllocation
  private static func sane(_ sample: Float) -> Float {
    // Comparisons with what is no number are false.
    sample.magnitude < .infinity ? max(min(sample, 8), -8) : 0
  }

  /// The same for a block. Of all ways to say it `replacing` is the one that becomes an instruction.
  @inline(__always) @_noLocks @_noAllocation
  private static func sane(_ block: Block) -> Block {
    let bits = unsafeBitCast(block, to: SIMD8<UInt32>.self)
    // All ones where it is a number: its exponent is not the highest.
    let isNumber = unsafeBitCast(
      unsafeBitCast((bits & 0x7FFF_FFFF) &- 0x7F80_0000, to: SIMD8<Int32>.self) &>> 31, to: SIMD8<UInt32>.self
    )
    let (high, low) = (Block(repeating: 8), Block(repeating: -8))
    let cut = block.replacing(with: high, where: block .> high)
    let bounded = cut.replacing(with: low, where: cut .< low)
    return unsafeBitCast(unsafeBitCast(bounded, to: SIMD8<UInt32>.self) & isNumber, to: Block.self)
  }

  /// Adds frames to a mix, times a gain; to nothing where they are the first.
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

  /// Adds frames to a mix, times a gain that moves, times another one.
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
    // Small whole numbers: exact, in whatever order they come about.
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

  /// Multiplies a mix by a gain.
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

  /// Multiplies four frames of a mix by gains.
  @inline(__always) @_noLocks @_noAllocation
  static func scale(_ mix: UnsafeMutablePointer<Float>, by gains: SIMD8<Float>) {
    let target = UnsafeMutableRawPointer(mix)
    target.storeBytes(of: target.loadUnaligned(as: Block.self) * gains, as: Block.self)
  }

  /// Puts half the sum of both channels on both.
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
