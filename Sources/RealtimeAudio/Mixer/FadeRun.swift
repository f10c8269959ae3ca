// A crossfade under way: its place on the curve is a function of the frames that were rendered since it
// began or was re-timed. Part of the mixer's restorable state; audio thread; may not lock or allocate.

import PlaybackModel

/// The fade between two decks. Frames count only while sound goes out, so a pause leaves it where it is.
struct FadeRun: Sendable {
  let from: Deck
  let to: Deck
  let fade: Fade
  private var timing: FadeTiming
  /// Frames played since `timing` began.
  var elapsed = Frames.zero

  /// A fade that stands at `index` on its curve and plays the rest at its own pace.
  @_noLocks @_noAllocation
  init(from: Deck, to: Deck, _ fade: Fade, at index: Frames = .zero) {
    self.from = from
    self.to = to
    self.fade = fade
    timing = FadeTiming(continuing: FadeProgress(index: index, length: fade.length))
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

  /// The gains of both decks that many frames from now.
  @_noLocks @_noAllocation
  func gains(after frames: Frames) -> (outgoing: Gain, incoming: Gain) {
    fade.gains(atPosition: position(after: frames))
  }

  /// Plays the rest of the same curve over `duration`, or as long as it would have taken: the gains go on from where
  /// they are.
  @_noLocks @_noAllocation
  mutating func retime(over duration: Frames) {
    guard duration.count < remaining else { return }
    timing = FadeTiming(finishing: progress(after: .zero), over: duration)
    elapsed = .zero
  }

  @_noLocks @_noAllocation
  private func position(after frames: Frames) -> Double {
    timing.curvePosition(atElapsed: elapsed + frames)
  }
}
