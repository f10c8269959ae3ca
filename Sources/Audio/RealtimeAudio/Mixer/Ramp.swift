// A gain that moves in a straight line between two timeline frames: a pure function of the frame number.
// Audio thread; may not lock or allocate.

/// A linear gain ramp on the timeline. Before `start` it is `from`, after its end it is `to`.
struct Ramp: Sendable {
  let from: Float
  let to: Float
  let start: Int64
  let length: Int64

  @_noLocks @_noAllocation
  init(from: Float, to: Float, start: Int64, length: Int64) {
    self.from = from
    self.to = to
    self.start = start
    self.length = length
  }

  /// A gain that does not move.
  @_noLocks @_noAllocation
  static func constant(_ gain: Float) -> Ramp { Ramp(from: gain, to: gain, start: 0, length: 0) }

  /// The frame from which on the gain is `to`.
  var end: Int64 {
    @_noLocks @_noAllocation get { start + length }
  }

  @_noLocks @_noAllocation
  func value(at frame: Int64) -> Float {
    let elapsed = frame - start
    if elapsed >= length { return to }
    if elapsed <= 0 { return from }
    return from + (to - from) * (Float(elapsed) / Float(length))
  }

  /// The values of four frames, for both samples of each, as `value(at:)` has them. Of a ramp that `movesBriefly`.
  @inline(__always) @_noLocks @_noAllocation
  func values(at frame: Int64) -> SIMD8<Float> {
    let elapsed = SIMD8<Float>(0, 0, 1, 1, 2, 2, 3, 3) + Float(frame - start)
    let moving = elapsed / Float(length) * (to - from) + from
    let ended = moving.replacing(
      with: SIMD8(repeating: to), where: elapsed .>= SIMD8(repeating: Float(length)))
    return ended.replacing(with: SIMD8(repeating: from), where: elapsed .<= SIMD8(repeating: 0))
  }

  /// Whether a float counts its frames, and those near it, one by one.
  @_noLocks @_noAllocation
  func movesBriefly(near frame: Int64) -> Bool {
    length > 0 && length < 1 << 23 && abs(frame - start) < 1 << 23
  }

  /// The one gain of all frames of a stretch, or nil if it moves within it.
  @_noLocks @_noAllocation
  func constantValue(from frame: Int64, count: Int) -> Float? {
    if from == to || frame >= end { return to }
    if frame + Int64(count) <= start { return from }
    return nil
  }

  /// Turns towards `target` from wherever the ramp is at `frame`. `fullLength` is how long the whole way
  /// between silence and unity takes: a ramp that turns round half-way needs half of it back, and a part of a frame is a whole
  /// one, for nothing may move faster than on the whole way.
  @_noLocks @_noAllocation
  func turned(at frame: Int64, to target: Float, fullLength: Int64) -> Ramp {
    let now = value(at: frame)
    let distance = min(1, abs(target - now))
    let needed = Float(fullLength) * distance
    let whole = Int64(needed)
    // What is left by rounding alone is no frame.
    let length = needed - Float(whole) > 0.01 ? whole + 1 : whole
    return Ramp(from: now, to: target, start: frame, length: length)
  }
}
