// All state that determines the next frame, as one copyable value. Saved once per quantum, so that recent frames can be
// rendered again. Audio thread.

/// The mixer's state at one frame of the timeline.
struct MixerState: Sendable {
  /// The next timeline frame to render.
  var frame: Int64 = 0
  var decks = DeckPair()
  /// Number of rings attached so far; used to number them.
  var attachments: UInt32 = 0
  var join = Join.none
  var fade: FadeRun?
  var gate = Gate()
  /// Ramp after an unintended gap, such as an underrun.
  var entry = Ramp.constant(1)
  var volume = Ramp.constant(1)
  /// Share of the mono sum in both channels: 1 is mono.
  var mono = Ramp.constant(0)
  var announcer = Announcer()
  var liveInput = LiveInput()
  var filters = FilterPhase()
  var limiter = Limiter()
  var dither = Dither()

  @_noLocks @_noAllocation init() {}
}
