// A running crossfade. Its position on the curve is a function of the frames rendered since it began or was re-timed.
// Part of the mixer's restorable state. Audio thread: no locks, no allocation.

import PlaybackModel

/// The fade between two decks. Only audible frames count, so a pause holds its position.
struct FadeRun: Sendable {
  let from: Deck
  let to: Deck
  let fade: Fade
  private var timing: FadeTiming
  /// Frames between two computed gains; the gain is linear between them.
  private var spacing: Int64
  /// Frames played since the start of `timing`.
  var elapsed = Frames.zero

  /// A fade that starts at `index` on its curve and plays the rest at normal speed.
  @_noLocks @_noAllocation
  init(from: Deck, to: Deck, _ fade: Fade, at index: Frames = .zero) {
    self.from = from
    self.to = to
    self.fade = fade
    timing = FadeTiming(continuing: FadeProgress(index: index, length: fade.length))
    spacing = Self.spacing(fade.length.count)
  }

  var isOver: Bool {
    @_noLocks @_noAllocation get { !(elapsed < timing.duration) }
  }

  /// Frames until the fade ends.
  var remaining: Int64 {
    @_noLocks @_noAllocation get { max(0, timing.duration.count - elapsed.count) }
  }

  /// Whether this fade has the position and remaining duration of another fade after `frames` more frames.
  @_noLocks @_noAllocation
  func goesOn(as other: FadeRun, after frames: Frames) -> Bool {
    timing.start.count == other.timing.start.count && timing.duration.count == other.timing.duration.count
      && timing.remaining.count == other.timing.remaining.count
      && elapsed.count + frames.count == other.elapsed.count
  }

  /// Curve frames per rendered frame.
  var pace: Double {
    @_noLocks @_noAllocation get {
      timing.duration.count > 0 ? Double(timing.remaining.count) / Double(timing.duration.count) : 0
    }
  }

  @_noLocks @_noAllocation
  func progress(after frames: Frames) -> FadeProgress {
    FadeProgress(index: Frames(Int64(position(after: frames))), length: fade.length)
  }

  /// Spacing of the computed gains in frames, for a fade of a given length.
  ///
  /// At most 64, and small enough for an interpolation error below 3e-7 with every curve.
  @_noLocks @_noAllocation
  private static func spacing(_ length: Int64) -> Int64 {
    var spacing: Int64 = 1
    while spacing < 64, spacing * 8192 <= length { spacing *= 2 }
    return spacing
  }

  /// Gain of one of the decks after `frames` more frames.
  @_noLocks @_noAllocation
  func gain(of deck: Deck, after frames: Int64) -> Float { gainLine(of: deck, after: frames).value(0) }

  /// Line segment of a deck's gain after `frames` more frames.
  @_noLocks @_noAllocation
  func gainLine(of deck: Deck, after frames: Int64) -> GainLine {
    // At normal speed, segments are aligned to the curve, so that a resumed fade has the same segments.
    let phase = isAsOrdered ? timing.start.count : 0
    let last = phase + timing.duration.count
    let place = phase + elapsed.count + frames
    let from = place - place % spacing
    let to = min(from + spacing, last)
    guard to > from, spacing > 1 else {
      return GainLine(first: exactGain(of: deck, at: place - phase), step: 0, offset: 0, frames: 1)
    }
    let first = exactGain(of: deck, at: from - phase)
    let step = (exactGain(of: deck, at: to - phase) - first) / Float(to - from)
    return GainLine(first: first, step: step, offset: Int(place - from), frames: max(1, Int(to - place)))
  }

  /// Whether the curve plays at normal speed.
  private var isAsOrdered: Bool {
    @_noLocks @_noAllocation get { timing.remaining.count == timing.duration.count }
  }

  /// Gain on the curve at `elapsed` frames after the start of `timing`; may be negative.
  @_noLocks @_noAllocation
  private func exactGain(of deck: Deck, at elapsed: Int64) -> Float {
    let position =
      isAsOrdered
      ? Double(timing.start.count + min(elapsed, timing.duration.count))
      : timing.curvePosition(atElapsed: Frames(elapsed))
    return (deck == from ? fade.outgoingGain(atPosition: position) : fade.incomingGain(atPosition: position))
      .factor
  }

  /// Plays the rest of the curve within `duration`, unless it would be over earlier. The gains continue from their
  /// present values.
  @_noLocks @_noAllocation
  mutating func retime(over duration: Frames) {
    guard duration.count < remaining else { return }
    timing = FadeTiming(finishing: progress(after: .zero), over: duration)
    // The spacing for a whole curve at this speed.
    spacing = pace > 0 ? Self.spacing(Int64(Double(fade.length.count) / pace)) : 1
    elapsed = .zero
  }

  @_noLocks @_noAllocation
  private func position(after frames: Frames) -> Double {
    timing.curvePosition(atElapsed: elapsed + frames)
  }
}
