// Everything that can happen to the player, in three origins. Pure values; control thread.

/// Something that happened: a person's request, a report of the engine's own parts, or the world outside.
package enum PlayerEvent: Hashable, Sendable {
  // A person, or the queue on a person's behalf.

  /// Put this track in place, at a position; nil unloads.
  case load(Track?, at: Frames)
  /// Play, or intend to.
  case play
  /// Pause, or intend to.
  case pause
  /// Play if silent, pause if not.
  case toggle
  /// Stop, with the stop fade where something is heard.
  case stop
  /// Go on to this track; nil means that the queue has none and stops.
  case skip(to: Track?)
  /// Go to a position of the current track; clamped to its length.
  case seek(Frames)
  /// Try again after a failure.
  case retry
  /// Leave a failure behind.
  case reset
  /// Play the rest of a running fade within the quick-finish length.
  case finishFade
  /// The queue no longer holds `track`. If the state holds it, `next` takes its place; nil: the queue has none.
  case removed(_ track: Track, next: Track?)

  // The engine's own parts.

  /// The current track's decoder is open and its ring is filled for starting.
  case didPrepare
  /// The current track (in a fade, the outgoing one) failed, in its decoder or for want of an output.
  case didFail(PlaybackError)
  /// The current track's ring ran empty before its end.
  case didStarve
  /// The ring has enough again.
  case didRefill
  /// The seek ordered last is done, its ring filled.
  case didSeek
  /// The gapless join to this track has been heard; `Moment.current` is already its position.
  case didAdvance(Track)
  /// The next track is cued.
  case didPrepareNext
  /// The next track (in a fade, the incoming one) could not be cued, or failed while it waited.
  case didFailNext(PlaybackError)
  /// The decoder of the current track (in a fade, the outgoing one) died.
  case decoderDied(DecoderDeath)
  /// The decoder of the next track (in a fade, the incoming one) died.
  case nextDecoderDied(DecoderDeath)
  /// This track is cued and the queue wants it faded in at the end of the current one. Sent again when queue or
  /// settings want another fade, until one has begun.
  case nextDue(Track, fade: Fade)
  /// Queue or settings no longer want the fade that waits.
  case nextWithdrawn
  /// The mixer has begun the fade into this track, of the length that was left for it.
  case crossfadeBegan(to: Track, fade: Fade)
  /// The mixer has ended the fade; the incoming track is alone. Collapsing and reverting do not report it.
  case crossfadeCompleted
  /// The ramp to a stop has reached silence.
  case fadeOutCompleted
  /// The current track has played its last frame and nothing was joined to it. The queue has moved on to `next`;
  /// nil where it has nothing more.
  case didReachEnd(next: Track?)
  /// After a failure for good the queue has moved on to this track.
  case queueMovedOn(to: Track)

  // The world outside.

  /// Something else needs the loudspeaker.
  case interruptionBegan
  /// It no longer does.
  case interruptionEnded(shouldResume: Bool)
  /// The box is put to sleep.
  case standby
  /// The box is woken.
  case wake
  /// The sound card is gone.
  case outputLost
  /// The sound card is back.
  case outputRestored
  /// The storage mounted at this path was taken out.
  case storageRemoved(path: String)
  /// The supply is about to go.
  case powerFailing
  /// The sleep timer has run out.
  case sleepTimerFired
  /// An announcement begins that wants silence beside it.
  case announcementBegan
  /// It is over.
  case announcementEnded
  /// A live source takes the loudspeaker.
  case liveInputBegan
  /// It is over.
  case liveInputEnded

  /// Where an event comes from.
  package enum Origin: UInt8, Hashable, Sendable, CaseIterable {
    case user, system, external
  }

  /// The events without their payloads.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case load, play, pause, toggle, stop, skip, seek, retry, reset, finishFade, removed
    case didPrepare, didFail, didStarve, didRefill, didSeek, didAdvance, didPrepareNext, didFailNext
    case decoderDied, nextDecoderDied
    case nextDue, nextWithdrawn, crossfadeBegan, crossfadeCompleted, fadeOutCompleted, didReachEnd,
      queueMovedOn
    case interruptionBegan, interruptionEnded, standby, wake, outputLost, outputRestored, storageRemoved
    case powerFailing, sleepTimerFired
    case announcementBegan, announcementEnded
    case liveInputBegan, liveInputEnded

    /// Where it comes from.
    package var origin: Origin {
      if rawValue <= Kind.removed.rawValue { return .user }
      return rawValue <= Kind.queueMovedOn.rawValue ? .system : .external
    }

    /// Whether it says that music got further, so that an error before it is over.
    var isSuccess: Bool {
      switch self {
      case .didPrepare, .didSeek, .didRefill, .didAdvance, .crossfadeBegan: true
      default: false
      }
    }

    /// The name in tables, histories and on the console.
    package var name: String {
      switch self {
      case .load: "load"
      case .play: "play"
      case .pause: "pause"
      case .toggle: "toggle"
      case .stop: "stop"
      case .skip: "skip"
      case .seek: "seek"
      case .retry: "retry"
      case .reset: "reset"
      case .finishFade: "finishFade"
      case .removed: "removed"
      case .didPrepare: "didPrepare"
      case .didFail: "didFail"
      case .didStarve: "didStarve"
      case .didRefill: "didRefill"
      case .didSeek: "didSeek"
      case .didAdvance: "didAdvance"
      case .didPrepareNext: "didPrepareNext"
      case .didFailNext: "didFailNext"
      case .decoderDied: "decoderDied"
      case .nextDecoderDied: "nextDecoderDied"
      case .nextDue: "nextDue"
      case .nextWithdrawn: "nextWithdrawn"
      case .crossfadeBegan: "crossfadeBegan"
      case .crossfadeCompleted: "crossfadeCompleted"
      case .fadeOutCompleted: "fadeOutCompleted"
      case .didReachEnd: "didReachEnd"
      case .queueMovedOn: "queueMovedOn"
      case .interruptionBegan: "interruptionBegan"
      case .interruptionEnded: "interruptionEnded"
      case .standby: "standby"
      case .wake: "wake"
      case .outputLost: "outputLost"
      case .outputRestored: "outputRestored"
      case .storageRemoved: "storageRemoved"
      case .powerFailing: "powerFailing"
      case .sleepTimerFired: "sleepTimerFired"
      case .announcementBegan: "announcementBegan"
      case .announcementEnded: "announcementEnded"
      case .liveInputBegan: "guestBegan"
      case .liveInputEnded: "guestEnded"
      }
    }
  }

  /// Which event it is.
  package var kind: Kind {
    switch self {
    case .load: .load
    case .play: .play
    case .pause: .pause
    case .toggle: .toggle
    case .stop: .stop
    case .skip: .skip
    case .seek: .seek
    case .retry: .retry
    case .reset: .reset
    case .finishFade: .finishFade
    case .removed: .removed
    case .didPrepare: .didPrepare
    case .didFail: .didFail
    case .didStarve: .didStarve
    case .didRefill: .didRefill
    case .didSeek: .didSeek
    case .didAdvance: .didAdvance
    case .didPrepareNext: .didPrepareNext
    case .didFailNext: .didFailNext
    case .decoderDied: .decoderDied
    case .nextDecoderDied: .nextDecoderDied
    case .nextDue: .nextDue
    case .nextWithdrawn: .nextWithdrawn
    case .crossfadeBegan: .crossfadeBegan
    case .crossfadeCompleted: .crossfadeCompleted
    case .fadeOutCompleted: .fadeOutCompleted
    case .didReachEnd: .didReachEnd
    case .queueMovedOn: .queueMovedOn
    case .interruptionBegan: .interruptionBegan
    case .interruptionEnded: .interruptionEnded
    case .standby: .standby
    case .wake: .wake
    case .outputLost: .outputLost
    case .outputRestored: .outputRestored
    case .storageRemoved: .storageRemoved
    case .powerFailing: .powerFailing
    case .sleepTimerFired: .sleepTimerFired
    case .announcementBegan: .announcementBegan
    case .announcementEnded: .announcementEnded
    case .liveInputBegan: .liveInputBegan
    case .liveInputEnded: .liveInputEnded
    }
  }
}
