// A fade between two tracks: its length and curve, how far it has come, and how the rest of it is timed.
// Pure values; any thread, the audio thread included.

/// A fade as ordered: how long and in which shape.
package struct Fade: Hashable, Sendable {
  /// The longest fade there is, in seconds.
  package static let maxLength = Seconds(15)

  /// How many frames it takes.
  package let length: Frames
  /// Its shape.
  package let curve: FadeCurve

  /// A fade of `length` seconds at `rate`, brought into 0…15 s (not-a-number counts as 0).
  package init(_ length: Seconds, curve: FadeCurve = .equalPower, rate: SampleRate) {
    let seconds = length.value > 0 ? min(length.value, Fade.maxLength.value) : 0
    self.length = rate.frames(Seconds(seconds))
    self.curve = curve
  }

  /// A fade of a number of frames that is known to be within bounds, below 0 counts as 0.
  @_noLocks @_noAllocation
  package init(length: Frames, curve: FadeCurve) {
    self.length = Frames(max(length.count, 0))
    self.curve = curve
  }

  /// The same fade, no longer than half of the shorter track as far as lengths are known, so that a short
  /// track is heard at full gain at least once.
  package func clipped(from: Track, to: Track) -> Fade {
    var length = self.length.count
    if let bound = from.length { length = min(length, max(bound.count, 0) / 2) }
    if let bound = to.length { length = min(length, max(bound.count, 0) / 2) }
    return Fade(length: Frames(length), curve: curve)
  }

  /// Both gains at a frame index within the fade. Any thread.
  @_noLocks @_noAllocation
  package func gains(at index: Frames) -> (outgoing: Gain, incoming: Gain) {
    gains(atPosition: Double(index.count))
  }

  /// Both gains at a position on the curve, in frames of the fade's own length, with a fraction when
  /// the fade is re-timed. Any thread.
  @_noLocks @_noAllocation
  package func gains(atPosition position: Double) -> (outgoing: Gain, incoming: Gain) {
    curve.gains(atExact: length.count > 0 ? position / Double(length.count) : 1)
  }

  /// The first of these gains alone. Any thread.
  @_noLocks @_noAllocation
  package func outgoingGain(atPosition position: Double) -> Gain {
    curve.incomingGain(atExact: length.count > 0 ? 1 - position / Double(length.count) : 0)
  }

  /// The second of these gains alone. Any thread.
  @_noLocks @_noAllocation
  package func incomingGain(atPosition position: Double) -> Gain {
    curve.incomingGain(atExact: length.count > 0 ? position / Double(length.count) : 1)
  }
}

/// How far a fade has come. `index` never exceeds `length`.
package struct FadeProgress: Hashable, Sendable {
  /// Frames of the fade already played, 0…length.
  package let index: Frames
  /// Frames the fade has in all.
  package let length: Frames

  /// Progress at `index` of `length`, brought within bounds.
  @_noLocks @_noAllocation
  package init(index: Frames, length: Frames) {
    self.length = Frames(max(length.count, 0))
    self.index = Frames(min(max(index.count, 0), max(length.count, 0)))
  }

  /// From 0 to 1; a fade of no length is complete.
  package var fraction: Float {
    @_noLocks @_noAllocation get {
      length.count > 0 ? Float(Double(index.count) / Double(length.count)) : 1
    }
  }

  /// Whole percent, rounded down, so that 100 means complete.
  package var percent: Int {
    @_noLocks @_noAllocation get { length.count > 0 ? Int(index.count * 100 / length.count) : 100 }
  }

  /// What is left of the fade.
  package var remaining: Frames {
    @_noLocks @_noAllocation get { length - index }
  }
}

/// How the rest of a fade is played: a stretch of the curve mapped evenly onto a number of frames.
///
/// A fade as ordered maps one to one. A quick finish maps what is left onto one second; it starts at the
/// index reached, so the gains are continuous.
package struct FadeTiming: Hashable, Sendable {
  /// Where on the curve it starts, in frames of the fade's own length.
  package let start: Frames
  /// How much of the curve is left from there.
  package let remaining: Frames
  /// Over how many frames that is played; 0 means at once.
  package let duration: Frames

  /// The rest of a fade, from `progress` on, at the pace it was ordered with.
  @_noLocks @_noAllocation
  package init(continuing progress: FadeProgress) {
    start = progress.index
    remaining = progress.remaining
    duration = remaining
  }

  /// The rest of a fade, from `progress` on, played over `duration`.
  @_noLocks @_noAllocation
  package init(finishing progress: FadeProgress, over duration: Frames) {
    start = progress.index
    remaining = progress.remaining
    self.duration = Frames(max(duration.count, 0))
  }

  /// The position on the curve after `elapsed` frames, from `start` to `start + remaining`, in frames of
  /// the fade's own length with a fraction. Give it to `Fade.gains(atPosition:)`. Any thread.
  @_noLocks @_noAllocation
  package func curvePosition(atElapsed elapsed: Frames) -> Double {
    guard elapsed.count > 0 || duration.count == 0 else { return Double(start.count) }
    guard elapsed.count < duration.count else { return Double((start + remaining).count) }
    // One to one stays in integers, so that a continued fade is sample-exact.
    guard remaining.count != duration.count else { return Double((start + elapsed).count) }
    return Double(start.count) + Double(elapsed.count) * Double(remaining.count) / Double(duration.count)
  }

  /// Progress after `elapsed` frames, rounded down to a frame of the curve. Any thread.
  @_noLocks @_noAllocation
  package func progress(atElapsed elapsed: Frames) -> FadeProgress {
    FadeProgress(index: Frames(Int64(curvePosition(atElapsed: elapsed))), length: start + remaining)
  }
}

/// How fast a running fade moves along its curve.
package enum FadePace: UInt8, Hashable, Sendable, CaseIterable {
  /// A frame of the curve a frame.
  case ordered
  /// What was left when somebody asked for it takes no longer than the quick-finish length.
  case quick
}

/// What a paused fade does when it is resumed.
package enum ResumeStrategy: UInt8, Hashable, Sendable, CaseIterable {
  /// Goes on from the frame reached, at the pace it was ordered with.
  case continueFromProgress
  /// Plays the rest of the curve within the quick-finish length.
  case quickFinish

  /// The name in status lines.
  package var name: String {
    switch self {
    case .continueFromProgress: "where it was"
    case .quickFinish: "by finishing quickly"
    }
  }
}
