// What the shell knows about the mixer at the instant of an event. Pure value; control thread.

/// The time of an event, and the mixer's positions at it, read from its atomics. The machine has no clock
/// and does no I/O; with the moment it is a function of state, event and settings.
package struct Moment: Hashable, Sendable {
  /// Nanoseconds of the engine's monotonic clock.
  package var time: UInt64
  /// The position of the state's current track (`PlayerState.currentTrack`).
  package var current: Frames
  /// The position of the state's next track, where it has one.
  package var next: Frames?
  /// How far a running fade has come.
  package var fade: FadeProgress?
  /// The deck that plays the current track.
  package var deck: Deck

  /// A moment.
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
