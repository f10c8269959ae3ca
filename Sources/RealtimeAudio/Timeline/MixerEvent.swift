// What the mixer reports. Plain values that cross a lock-free queue back to the control thread.

import PlaybackModel

/// Where both decks and the fade stood at one timeline frame.
public struct MixerPositions: Sendable {
  /// The timeline frame.
  public var frame: Frames
  /// Ring indexes of the next frame of each deck.
  public var a: UInt64
  /// Deck B's.
  public var b: UInt64
  /// Position on the fade's curve and its length in frames; nil outside fades.
  public var fade: FadePosition?

  /// Bundles them.
  @_noLocks @_noAllocation
  public init(frame: Frames, a: UInt64, b: UInt64, fade: FadePosition?) {
    self.frame = frame
    self.a = a
    self.b = b
    self.fade = fade
  }

  /// The ring index of one deck.
  @_noLocks @_noAllocation
  public func index(_ deck: DeckID) -> UInt64 { deck == .a ? a : b }
}

/// How far a fade is along its curve.
public struct FadePosition: Sendable, Equatable {
  /// Frames of the curve that were played; fractional only after a quick finish re-timed it.
  public var position: Double
  /// The curve's length in frames.
  public var length: Int64

  /// Bundles the two.
  @_noLocks @_noAllocation
  public init(position: Double, length: Int64) {
    self.position = position
    self.length = length
  }
}

/// Something that happened at a frame of the timeline.
public enum MixerEvent: Sendable {
  /// A command took effect.
  case applied(id: UInt32)
  /// A gapless join was heard: this deck is the current one now.
  case advanced(to: DeckID)
  case crossfadeBegan
  case crossfadeCompleted
  /// The current deck's track ended and nothing was armed to follow.
  case deckEnded(DeckID)
  /// The current deck ran out of frames before its track's end.
  case starved(DeckID)
  /// It has enough again and is heard.
  case refilled(DeckID)
  /// A pause's ramp is over.
  case paused
  /// A stop's fade is over.
  case fadeOutCompleted
  /// A stopped deck is silent; its reading ended at this ring index.
  case deckSilent(DeckID, index: UInt64)
  /// The deck's ring is not touched any more.
  case released(DeckID)
  /// The deck's ring held indexes that cannot be.
  case ringCorrupt(DeckID)
}

/// An event with its place on the timeline.
public struct StampedEvent: Sendable {
  /// What happened.
  public var event: MixerEvent
  /// Where everything stood then.
  public var positions: MixerPositions

  /// Bundles the two.
  @_noLocks @_noAllocation
  public init(event: MixerEvent, positions: MixerPositions) {
    self.event = event
    self.positions = positions
  }
}
