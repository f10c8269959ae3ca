// Events from the mixer to the control thread. Plain values that are sent through a lock-free queue.

import PlaybackModel

/// Positions of both decks and the fade at one timeline frame.
package struct MixerPositions: Sendable {
  /// The timeline frame.
  package var frame: Frames
  /// Ring index of deck A's next frame.
  package var a: UInt64
  /// Ring index of deck B's next frame.
  package var b: UInt64
  /// Position on the fade's curve; nil without a fade.
  package var fade: FadeProgress?
  /// Whether deck A advances with the timeline.
  package var movesA = false
  /// Whether deck B advances with the timeline.
  package var movesB = false
  /// Curve frames per timeline frame; 0 while the fade is held.
  package var fadePace = 0.0

  /// Positions with decks that do not advance.
  @_noLocks @_noAllocation
  package init(frame: Frames, a: UInt64, b: UInt64, fade: FadeProgress?) {
    self.frame = frame
    self.a = a
    self.b = b
    self.fade = fade
  }

  /// The ring index of one deck.
  @_noLocks @_noAllocation
  package func index(_ deck: Deck) -> UInt64 { deck == .a ? a : b }
}

/// An event at a frame of the timeline.
package enum MixerEvent: Sendable {
  /// A command took effect.
  case applied(id: UInt32)
  /// A gapless join was played; this deck is the current one now.
  case advanced(to: Deck)
  /// A fade started; its length may have been shortened.
  case crossfadeBegan(to: Deck, Fade)
  /// The fade is complete; only the incoming deck plays.
  case crossfadeCompleted(to: Deck)
  /// The current deck's track ended without a join.
  case deckEnded(Deck)
  /// The current deck ran out of frames before the end of its track.
  case starved(Deck)
  /// A starved deck has enough frames again and resumes.
  case refilled(Deck)
  /// A pause's ramp is complete.
  case paused
  /// A stop's fade-out is complete.
  case fadeOutCompleted
  /// A stopped deck is silent; `index` is the ring index at which reading ended.
  case deckSilent(Deck, index: UInt64)
  /// The deck no longer accesses its ring.
  case released(Deck)
  /// The deck's ring had impossible indexes.
  case ringCorrupt(Deck)
  /// An event of the announcement with this number.
  case announcement(UInt32, BesideNews)
  /// An event of the live input with this number.
  case liveInput(UInt32, BesideNews)
}

/// An event of an announcement or a live input.
package enum BesideNews: Sendable {
  /// Its first frame.
  case began
  /// It ran out of frames before its end.
  case starved
  /// It has enough frames again and resumes.
  case refilled
  /// Its last frame was the previous one.
  case ended
  /// Its ring had impossible indexes.
  case corrupt
  /// Its ring is no longer accessed; the last of its events.
  case released
}

extension MixerEvent {
  /// Whether the event permits freeing memory.
  var isRelease: Bool {
    @_noLocks @_noAllocation get {
      switch self {
      case .released, .announcement(_, .released), .liveInput(_, .released): true
      default: false
      }
    }
  }
}

/// An event with its positions.
package struct StampedEvent: Sendable {
  /// The event.
  package var event: MixerEvent
  /// Positions at the event.
  package var positions: MixerPositions

  /// An event with its positions.
  @_noLocks @_noAllocation
  package init(event: MixerEvent, positions: MixerPositions) {
    self.event = event
    self.positions = positions
  }
}
