// Everything that decides how the next frame sounds, as one copyable value. Saved once per quantum, so that
// any frame of the last moments can be rendered again. Audio thread.

/// The mixer's state at one frame of the timeline.
struct MixerState: Sendable {
  /// The timeline frame that is rendered next.
  var frame: Int64 = 0
  var decks = DeckPair()
  /// Rings attached so far, to number them by.
  var attachments: UInt32 = 0
  var join = Join.none
  var fade: FadeRun?
  var gate = Gate()
  /// Lets sound in after a gap that nobody asked for.
  var entry = Ramp.constant(1)
  var volume = Ramp.constant(1)
  /// How much of both channels is their sum: 1 is mono.
  var mono = Ramp.constant(0)
  var announcer = Announcer()
  var liveInput = LiveInput()
  var filters = FilterPhase()
  var limiter = Limiter()
  var dither = Dither()

  @_noLocks @_noAllocation init() {}
}
