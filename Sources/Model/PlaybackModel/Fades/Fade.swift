// A crossfade between two tracks: length, curve, progress and timing. Pure values; any thread, including the audio
// thread.

/// Length and curve of a fade.
package struct Fade: Hashable, Sendable {
  /// Maximum length.
  package static let maxLength = Seconds(15)

  /// Length in frames.
  package let length: Frames
  /// Curve of the fade.
  package let curve: FadeCurve

  /// A fade with a length in seconds.
  ///
  /// - Parameters:
  ///   - length: Clamped to 0…15 s; NaN counts as 0.
  ///   - curve: Curve of the fade.
  ///   - rate: The engine's sample rate.
  package init(_ length: Seconds, curve: FadeCurve = .equalPower, rate: SampleRate) {
    let seconds = length.value > 0 ? min(length.value, Fade.maxLength.value) : 0
    self.length = rate.frames(Seconds(seconds))
    self.curve = curve
  }

  /// A fade with a length in frames that is known to be valid; negative lengths count as 0.
  @_noLocks @_noAllocation
  package init(length: Frames, curve: FadeCurve) {
    self.length = Frames(max(length.count, 0))
    self.curve = curve
  }

  /// The fade, limited to half of the shorter track's known length, so that a short track reaches full gain.
  package func clipped(from: Track, to: Track) -> Fade {
    var length = self.length.count
    if let bound = from.length { length = min(length, max(bound.count, 0) / 2) }
    if let bound = to.length { length = min(length, max(bound.count, 0) / 2) }
    return Fade(length: Frames(length), curve: curve)
  }

  /// Both gains at a frame of the fade. Any thread.
  @_noLocks @_noAllocation
  package func gains(at index: Frames) -> (outgoing: Gain, incoming: Gain) {
    gains(atPosition: Double(index.count))
  }

  /// Both gains at a position on the curve, in frames; fractional if the fade is re-timed. Any thread.
  @_noLocks @_noAllocation
  package func gains(atPosition position: Double) -> (outgoing: Gain, incoming: Gain) {
    curve.gains(atExact: length.count > 0 ? position / Double(length.count) : 1)
  }

  /// The outgoing gain at a position on the curve, in frames. Any thread.
  @_noLocks @_noAllocation
  package func outgoingGain(atPosition position: Double) -> Gain {
    curve.incomingGain(atExact: length.count > 0 ? 1 - position / Double(length.count) : 0)
  }

  /// The incoming gain at a position on the curve, in frames. Any thread.
  @_noLocks @_noAllocation
  package func incomingGain(atPosition position: Double) -> Gain {
    curve.incomingGain(atExact: length.count > 0 ? position / Double(length.count) : 1)
  }
}

/// Progress of a fade. `index` never exceeds `length`.
package struct FadeProgress: Hashable, Sendable {
  /// Frames of the fade already played, 0…length.
  package let index: Frames
  /// Total frames of the fade.
  package let length: Frames

  /// Progress at `index` of `length`, clamped to valid values.
  @_noLocks @_noAllocation
  package init(index: Frames, length: Frames) {
    self.length = Frames(max(length.count, 0))
    self.index = Frames(min(max(index.count, 0), max(length.count, 0)))
  }

  /// Progress from 0 to 1; 1 for a fade without length.
  package var fraction: Float {
    @_noLocks @_noAllocation get {
      length.count > 0 ? Float(Double(index.count) / Double(length.count)) : 1
    }
  }

  /// Progress in whole percent, rounded down, so that 100 means complete.
  package var percent: Int {
    @_noLocks @_noAllocation get { length.count > 0 ? Int(index.count * 100 / length.count) : 100 }
  }

  /// Remaining frames of the fade.
  package var remaining: Frames {
    @_noLocks @_noAllocation get { length - index }
  }
}

/// Timing of a fade's remainder: a part of the curve, mapped linearly to a number of frames.
///
/// At normal speed the mapping is one to one. A quick finish maps the remainder to one second; it starts at the present
/// index, so the gains are continuous.
package struct FadeTiming: Hashable, Sendable {
  /// Start on the curve, in frames of the fade.
  package let start: Frames
  /// Remaining frames of the curve from `start`.
  package let remaining: Frames
  /// Frames in which the remainder is played; 0 means at once.
  package let duration: Frames

  /// Plays the remainder from `progress` at normal speed.
  @_noLocks @_noAllocation
  package init(continuing progress: FadeProgress) {
    start = progress.index
    remaining = progress.remaining
    duration = remaining
  }

  /// Plays the remainder from `progress` within `duration` frames.
  @_noLocks @_noAllocation
  package init(finishing progress: FadeProgress, over duration: Frames) {
    start = progress.index
    remaining = progress.remaining
    self.duration = Frames(max(duration.count, 0))
  }

  /// Position on the curve, for `Fade.gains(atPosition:)`. Any thread.
  ///
  /// - Parameter elapsed: Frames since the start of this timing.
  /// - Returns: Frames of the fade, from `start` to `start + remaining`, with a fraction.
  @_noLocks @_noAllocation
  package func curvePosition(atElapsed elapsed: Frames) -> Double {
    guard elapsed.count > 0 || duration.count == 0 else { return Double(start.count) }
    guard elapsed.count < duration.count else { return Double((start + remaining).count) }
    // Integer arithmetic at normal speed makes a resumed fade sample-exact.
    guard remaining.count != duration.count else { return Double((start + elapsed).count) }
    return Double(start.count) + Double(elapsed.count) * Double(remaining.count) / Double(duration.count)
  }

  /// Progress after `elapsed` frames, rounded down to a frame of the curve. Any thread.
  @_noLocks @_noAllocation
  package func progress(atElapsed elapsed: Frames) -> FadeProgress {
    FadeProgress(index: Frames(Int64(curvePosition(atElapsed: elapsed))), length: start + remaining)
  }
}

/// Speed of a running fade.
package enum FadePace: UInt8, Hashable, Sendable, CaseIterable {
  /// Normal speed.
  case ordered
  /// The remainder plays within the quick-finish length.
  case quick
}

/// How a paused fade is resumed.
package enum ResumeStrategy: UInt8, Hashable, Sendable, CaseIterable {
  /// Continues at the present frame at normal speed.
  case continueFromProgress
  /// Plays the remainder within the quick-finish length.
  case quickFinish

  /// Name in status lines.
  package var name: String {
    switch self {
    case .continueFromProgress: "where it was"
    case .quickFinish: "by finishing quickly"
    }
  }
}
