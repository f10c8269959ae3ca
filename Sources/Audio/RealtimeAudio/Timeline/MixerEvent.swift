// What the mixer reports. Plain values that cross a lock-free queue back to the control thread.

import PlaybackModel

/// Where both decks and the fade stood at one timeline frame.
package struct MixerPositions: Sendable {
  /// The timeline frame.
  package var frame: Frames
  /// Ring indexes of the next frame of each deck.
  package var a: UInt64
  /// Deck B's.
  package var b: UInt64
  /// Progress on the fade's curve; nil outside fades.
  package var fade: FadeProgress?
  /// Whether deck A is read: it moves with the frames.
  package var movesA = false
  /// Whether deck B is.
  package var movesB = false
  /// Frames of the fade's curve that go by in a frame; 0 while it stands still.
  package var fadePace = 0.0

  /// Bundles them.
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

/// Something that happened at a frame of the timeline.
package enum MixerEvent: Sendable {
  /// A command took effect.
  case applied(id: UInt32)
  /// A gapless join was heard: this deck is the current one now.
  case advanced(to: Deck)
  /// A fade was begun, no longer than what was left for it.
  case crossfadeBegan(to: Deck, Fade)
  /// The fade is over, and the deck that came is alone.
  case crossfadeCompleted(to: Deck)
  /// The current deck's track ended and nothing was armed to follow.
  case deckEnded(Deck)
  /// The current deck ran out of frames before its track's end.
  case starved(Deck)
  /// It has enough again and is heard.
  case refilled(Deck)
  /// A pause's ramp is over.
  case paused
  /// A stop's fade is over.
  case fadeOutCompleted
  /// A stopped deck is silent; its reading ended at this ring index.
  case deckSilent(Deck, index: UInt64)
  /// The deck's ring is not touched any more.
  case released(Deck)
  /// The deck's ring held indexes that cannot be.
  case ringCorrupt(Deck)
  /// Something about the announcement of this number.
  case announcement(UInt32, BesideNews)
  /// Something about the live source's sound of this number.
  case liveInput(UInt32, BesideNews)
}

/// What becomes of an announcement, or of what sounds of a live source.
package enum BesideNews: Sendable {
  /// Its first frame.
  case began
  /// It ran out of frames before its end.
  case starved
  /// It has enough again and is heard.
  case refilled
  /// Its last frame was the one before.
  case ended
  /// Its ring held indexes that cannot be.
  case corrupt
  /// Its ring is not touched any more; the last of its events.
  case released
}

extension MixerEvent {
  /// Whether memory may go once it is told.
  var isRelease: Bool {
    @_noLocks @_noAllocation get {
      switch self {
      case .released, .announcement(_, .released), .liveInput(_, .released): true
      default: false
      }
    }
  }
}

/// An event with its place on the timeline.
package struct StampedEvent: Sendable {
  /// What happened.
  package var event: MixerEvent
  /// Where everything stood then.
  package var positions: MixerPositions

  /// Bundles the two.
  @_noLocks @_noAllocation
  package init(event: MixerEvent, positions: MixerPositions) {
    self.event = event
    self.positions = positions
  }
}
