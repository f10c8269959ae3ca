// Events of the player's state machine, from three origins. Pure values; control thread.

/// An event: a request by the user, a report by the engine, or an external event.
package enum PlayerEvent: Hashable, Sendable {
  // MARK: The user, or the queue on the user's behalf

  /// Load this track at a position; nil unloads.
  case load(Track?, at: Frames)
  /// Play, or set the intent to play.
  case play
  /// Pause, or set the intent to pause.
  case pause
  /// Play if silent, pause otherwise.
  case toggle
  /// Stop, with the stop fade if audible.
  case stop
  /// Skip to this track; nil means that the queue has none, and stops.
  case skip(to: Track?)
  /// Seek in the current track; clamped to its length.
  case seek(Frames)
  /// Retry after a failure.
  case retry
  /// Dismiss a failure.
  case reset
  /// Play the rest of a running fade within the quick-finish length.
  case finishFade
  /// `track` was removed from the queue. If the state holds it, `next` replaces it; nil if the queue has none.
  case removed(_ track: Track, next: Track?)

  // MARK: The engine

  /// The current track's decoder is open and its ring has enough frames to start.
  case didPrepare
  /// The current track (in a fade, the outgoing one) failed in its decoder, or has no output.
  case didFail(PlaybackError)
  /// The current track's ring ran dry before its end.
  case didStarve
  /// The ring has enough frames again.
  case didRefill
  /// The last seek is complete and the ring is filled.
  case didSeek
  /// The gapless join to this track was played; `Moment.current` is already its position.
  case didAdvance(Track)
  /// The next track is cued.
  case didPrepareNext
  /// The next track (in a fade, the incoming one) could not be cued, or failed while waiting.
  case didFailNext(PlaybackError)
  /// The decoder of the current track (in a fade, the outgoing one) died.
  case decoderDied(DecoderDeath)
  /// The decoder of the next track (in a fade, the incoming one) died.
  case nextDecoderDied(DecoderDeath)
  /// This track is cued and should fade in at the end of the current one. Sent again when queue or settings change the
  /// fade, until it starts.
  case nextDue(Track, fade: Fade)
  /// Queue or settings have cancelled the waiting fade.
  case nextWithdrawn
  /// The mixer has started the fade to this track, with its final length.
  case crossfadeBegan(to: Track, fade: Fade)
  /// The mixer has completed the fade; only the incoming track plays. Not sent after a collapse or revert.
  case crossfadeCompleted
  /// The ramp to a stop is complete.
  case fadeOutCompleted
  /// The current track ended without a join. The queue has advanced to `next`; nil if it has no more tracks.
  case didReachEnd(next: Track?)
  /// After a permanent failure, the queue has advanced to this track.
  case queueMovedOn(to: Track)

  // MARK: External

  /// Another program needs the loudspeaker.
  case interruptionBegan
  /// The interruption has ended.
  case interruptionEnded(shouldResume: Bool)
  /// The device enters standby.
  case standby
  /// The device leaves standby.
  case wake
  /// The sound card is lost.
  case outputLost
  /// The sound card is back.
  case outputRestored
  /// The storage mounted at this path was removed.
  case storageRemoved(path: String)
  /// The power supply is failing.
  case powerFailing
  /// The sleep timer has expired.
  case sleepTimerFired
  /// An announcement with a pause starts.
  case announcementBegan
  /// The announcement has ended.
  case announcementEnded
  /// A live input starts.
  case liveInputBegan
  /// The live input has ended.
  case liveInputEnded

  /// Origin of an event.
  package enum Origin: UInt8, Hashable, Sendable, CaseIterable {
    case user, system, external
  }

  /// Events without their payloads.
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

    /// Origin of the event.
    package var origin: Origin {
      if rawValue <= Kind.removed.rawValue { return .user }
      return rawValue <= Kind.queueMovedOn.rawValue ? .system : .external
    }

    /// Whether the event shows progress of playback, which clears an earlier error.
    var isSuccess: Bool {
      switch self {
      case .didPrepare, .didSeek, .didRefill, .didAdvance, .crossfadeBegan: true
      default: false
      }
    }

    /// Name in tables, the history and the console.
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

  /// The kind of the event.
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
