// A crossfade under way: its place on the curve is a function of the frames that were rendered since it
// began or was re-timed. Part of the mixer's restorable state; audio thread; may not lock or allocate.

import PlaybackModel

/// The fade between two decks. Frames count only while sound goes out, so a pause leaves it where it is.
struct FadeRun: Sendable {
  let from: Deck
  let to: Deck
  let fade: Fade
  private var timing: FadeTiming
  /// Frames between two gains that are computed; between them they move in a straight line.
  private var spacing: Int64
  /// Frames played since `timing` began.
  var elapsed = Frames.zero

  /// A fade that stands at `index` on its curve and plays the rest at its own pace.
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

  /// Frames until it is over.
  var remaining: Int64 {
    @_noLocks @_noAllocation get { max(0, timing.duration.count - elapsed.count) }
  }

  /// Whether that many frames from now this fade stands where another one does, with the same rest to come.
  @_noLocks @_noAllocation
  func goesOn(as other: FadeRun, after frames: Frames) -> Bool {
    timing.start.count == other.timing.start.count && timing.duration.count == other.timing.duration.count
      && timing.remaining.count == other.timing.remaining.count
      && elapsed.count + frames.count == other.elapsed.count
  }

  /// Frames of the curve that go by in a frame.
  var pace: Double {
    @_noLocks @_noAllocation get {
      timing.duration.count > 0 ? Double(timing.remaining.count) / Double(timing.duration.count) : 0
    }
  }

  @_noLocks @_noAllocation
  func progress(after frames: Frames) -> FadeProgress {
    FadeProgress(index: Frames(Int64(position(after: frames))), length: fade.length)
  }

  /// So many frames of a fade that would last that long that lines between its gains differ from them by less than 3e-7,
  /// whatever the curve; at most 64.
  @_noLocks @_noAllocation
  private static func spacing(_ length: Int64) -> Int64 {
    var spacing: Int64 = 1
    while spacing < 64, spacing * 8192 <= length { spacing *= 2 }
    return spacing
  }

  /// The gain of one of its decks that many frames from now.
  @_noLocks @_noAllocation
  func gain(of deck: Deck, after frames: Int64) -> Float { gainLine(of: deck, after: frames).value(0) }

  /// The line that the gain of one of its decks is on that many frames from now.
  @_noLocks @_noAllocation
  func gainLine(of deck: Deck, after frames: Int64) -> GainLine {
    // Counted along the curve where it is played as ordered: taken up again, a fade finds the same lines.
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

  /// Whether a frame of the curve goes by in a frame.
  private var isAsOrdered: Bool {
    @_noLocks @_noAllocation get { timing.remaining.count == timing.duration.count }
  }

  /// What the curve says for that many frames after `timing` began, or before.
  @_noLocks @_noAllocation
  private func exactGain(of deck: Deck, at elapsed: Int64) -> Float {
    let position =
      isAsOrdered
      ? Double(timing.start.count + min(elapsed, timing.duration.count))
      : timing.curvePosition(atElapsed: Frames(elapsed))
    return (deck == from ? fade.outgoingGain(atPosition: position) : fade.incomingGain(atPosition: position))
      .factor
  }

  /// Plays the rest of the same curve over `duration`, or as long as it would have taken: the gains go on from where
  /// they are.
  @_noLocks @_noAllocation
  mutating func retime(over duration: Frames) {
    guard duration.count < remaining else { return }
    timing = FadeTiming(finishing: progress(after: .zero), over: duration)
    // As many as if the whole curve went by at this pace.
    spacing = pace > 0 ? Self.spacing(Int64(Double(fade.length.count) / pace)) : 1
    elapsed = .zero
  }

  @_noLocks @_noAllocation
  private func position(after frames: Frames) -> Double {
    timing.curvePosition(atElapsed: elapsed + frames)
  }
}
