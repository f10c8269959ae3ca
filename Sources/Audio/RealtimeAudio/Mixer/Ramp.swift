// A gain that changes linearly between two timeline frames: a pure function of the frame number. Audio thread: no
// locks, no allocation.

/// A linear gain ramp on the timeline. The gain is `from` before `start`, and `to` after the end.
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

  /// A constant gain.
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

  /// The values of `value(at:)` for four frames, each repeated for both channels. Only valid for a ramp that
  /// `movesBriefly`.
  @inline(__always) @_noLocks @_noAllocation
  func values(at frame: Int64) -> SIMD8<Float> {
    let elapsed = SIMD8<Float>(0, 0, 1, 1, 2, 2, 3, 3) + Float(frame - start)
    let moving = elapsed / Float(length) * (to - from) + from
    let ended = moving.replacing(
      with: SIMD8(repeating: to), where: elapsed .>= SIMD8(repeating: Float(length)))
    return ended.replacing(with: SIMD8(repeating: from), where: elapsed .<= SIMD8(repeating: 0))
  }

  /// Whether a Float represents the ramp's frame offsets near `frame` exactly.
  @_noLocks @_noAllocation
  func movesBriefly(near frame: Int64) -> Bool {
    length > 0 && length < 1 << 23 && abs(frame - start) < 1 << 23
  }

  /// The constant gain of a stretch, or nil if the gain changes within it.
  @_noLocks @_noAllocation
  func constantValue(from frame: Int64, count: Int) -> Float? {
    if from == to || frame >= end { return to }
    if frame + Int64(count) <= start { return from }
    return nil
  }

  /// A ramp from the present gain towards `target`.
  ///
  /// - Parameters:
  ///   - frame: Start of the new ramp.
  ///   - target: Final gain.
  ///   - fullLength: Frames for the full range between 0 and 1. A smaller change takes a proportional time, rounded up,
  ///     so that the slope never exceeds that of the full range.
  @_noLocks @_noAllocation
  func turned(at frame: Int64, to target: Float, fullLength: Int64) -> Ramp {
    let now = value(at: frame)
    let distance = min(1, abs(target - now))
    let needed = Float(fullLength) * distance
    let whole = Int64(needed)
    // Ignore a fraction that is only a rounding error.
    let length = needed - Float(whole) > 0.01 ? whole + 1 : whole
    return Ramp(from: now, to: target, start: frame, length: length)
  }
}
