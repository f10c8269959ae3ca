// Time and mixer positions at an event, as input to the state machine. A pure value; control thread.

/// The time of an event and the mixer's positions at that time. With it, the state machine needs no clock and no I/O:
/// it is a function of state, event, moment and settings.
package struct Moment: Hashable, Sendable {
  /// Nanoseconds of the engine's monotonic clock.
  package var time: UInt64
  /// Position of the state's current track (`PlayerState.currentTrack`).
  package var current: Frames
  /// Position of the state's next track; nil if there is none.
  package var next: Frames?
  /// Progress of a running fade.
  package var fade: FadeProgress?
  /// The deck that plays the current track.
  package var deck: Deck

  /// A moment; by default without a next track or a fade.
  package init(
    time: UInt64, current: Frames = .zero, next: Frames? = nil, fade: FadeProgress? = nil, deck: Deck = .a
  ) {
    self.time = time
    self.current = current
    self.next = next
    self.fade = fade
    self.deck = deck
  }
}
