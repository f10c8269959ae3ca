// A crossfade under way: its place on the curve is a function of the frames that were rendered since it
// began or was re-timed. Part of the mixer's restorable state; audio thread; may not lock or allocate.

import PlaybackModel

/// The fade between two decks. Frames count only while sound goes out, so a pause leaves it where it is.
struct FadeRun: Sendable {
  let from: DeckID
  let to: DeckID
  let curve: FadeCurve
  /// Frames of the whole curve.
  let length: Int64
  /// Where on the curve `elapsed` began to count, and how much of it is played over `over` frames.
  private var origin: Double
  private var span: Double
  private(set) var over: Int64
  var elapsed: Int64 = 0

  /// A fade that stands at `position` on its curve and plays the rest at its own pace.
  @_noLocks @_noAllocation
  init(from: DeckID, to: DeckID, curve: FadeCurve, length: Int64, position: Double = 0) {
    self.from = from
    self.to = to
    self.curve = curve
    self.length = max(1, length)
    origin = min(max(0, position), Double(self.length))
    span = Double(self.length) - origin
    over = max(1, Int64(span + 0.5))
  }

  var isOver: Bool {
    @_noLocks @_noAllocation get { elapsed >= over }
  }

  /// Frames until it is over.
  var remaining: Int64 {
    @_noLocks @_noAllocation get { max(0, over - elapsed) }
  }

  /// Frames of the curve that were played after `elapsed` more frames than now.
  @_noLocks @_noAllocation
  func position(after frames: Int64 = 0) -> Double {
    let done = min(over, elapsed + frames)
    return origin + span * (Double(done) / Double(over))
  }

  /// The gains of both decks that many frames from now.
  @_noLocks @_noAllocation
  func gains(after frames: Int64) -> (outgoing: Gain, incoming: Gain) {
    curve.gains(atExact: position(after: frames) / Double(length))
  }

  /// Plays the rest of the same curve over `frames` frames: the gains go on from where they are.
  @_noLocks @_noAllocation
  mutating func retime(over frames: Int64) {
    let now = position()
    origin = now
    span = Double(length) - now
    over = max(1, frames)
    elapsed = 0
  }
}
