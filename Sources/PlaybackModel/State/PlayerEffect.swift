// What the machine orders. Data; the control thread's shell carries it out, in the order given.

/// An order of the state machine.
///
/// Rules for whoever carries them out:
/// - Roles are those of the state *after* the transition: "current" is its current track, "next" its next.
/// - `prepare`, `seek` and `releaseAll` retire whatever was pending on the decks they touch, `cancelNext`
///   what was pending on the next deck: a report about retired work that still arrives is dropped.
/// - Reports of the mixer that are already queued are handled before a person's wish is.
/// - Lengths are in frames at the engine's rate; a ramp of zero means at once.
public enum PlayerEffect: Hashable, Sendable {
  /// Ramp down what sounds (de-click), release both decks, and open this track on one of them at a
  /// position. Answer with `didPrepare` or `didFail`.
  case prepare(Track, at: Frames)
  /// Open this track on the other deck and cue it. Answer with `didPrepareNext` or `didFailNext`; where
  /// this very track is cued already, answer at once.
  case prepareNext(Track, at: Frames)
  /// Release the next deck; an armed fade is disarmed.
  case cancelNext
  /// Let the cued current deck sound from its position; `ramped`: with the de-click ramp, otherwise the
  /// first frame at full gain, because the track starts at its beginning.
  case start(ramped: Bool)
  /// Ramp everything down over this length and hold both decks; a fade holds its frame, too. Then report
  /// the exact frames through `settle`.
  case pause(ramp: Frames)
  /// Undo `pause` from the present gain, over this length at most.
  case resume(ramp: Frames)
  /// Ramp down the current deck (de-click), move its decoder to a position and hold it. Answer with
  /// `didSeek` or `didFail`. The next deck stays as it is.
  case seek(Track, to: Frames)
  /// Pin a fade to the outgoing track's end minus the fade's length, or to now if that has passed.
  /// Answer with `crossfadeBegan` when it begins.
  case armCrossfade(from: Track, to: Track, Fade)
  /// Take an armed fade off the timeline; the next deck stays cued. If it has begun already, say so with
  /// `crossfadeBegan`.
  case disarmCrossfade
  /// Begin a fade at the earliest frame, report `crossfadeBegan`, and in the end `crossfadeCompleted`.
  /// Do nothing where the outgoing track has ended and the next one was joined to it; `didAdvance` says so.
  case beginCrossfade(from: Track, to: Track, Fade)
  /// Undo the pause of a fade over the ramp, and play the rest of the fade with this timing. After a
  /// restart, wait until both decks are cued.
  case resumeCrossfade(ResumeStrategy, FadeTiming, ramp: Frames)
  /// Re-time the rest of the running fade.
  case quickFinishCrossfade(FadeTiming)
  /// Bring the outgoing deck to silence and the incoming deck to full gain, both from their present
  /// gains, over the ramp (zero when nothing is heard); release the outgoing deck; `to` is current.
  case collapseCrossfade(to: Track, ramp: Frames)
  /// The same the other way round: the outgoing deck back to full gain, the incoming one released.
  case revertCrossfade(to: Track, ramp: Frames)
  /// Ramp all that sounds, from its present gain, to silence over this length. Answer with
  /// `fadeOutCompleted`. The track named by the state is current; the deck of an outgoing track keeps
  /// falling whatever follows.
  case beginFadeOut(length: Frames)
  /// Turn the ramp to a stop round: back to full gain from the present one, over this length at most.
  case reverseFadeOut(ramp: Frames)
  /// Hold the deck in the ramp to a stop; `resume` brings it back. Then report through `settle`.
  case freezeFadeOut
  /// The cued or still opening next deck becomes the current one, without a fade; the old one is
  /// released. Answer with `didPrepare` (at once if it was cued) or `didFail`.
  case promoteNext(Track)
  /// Release both decks; `ramped`: with the de-click ramp, because something may sound.
  case releaseAll(ramped: Bool)
  /// This track is now the one that is heard, without anybody having asked: move the queue to it.
  case nowPlaying(Track)
  /// The next track cannot be used: mark it, put the queue back to the state's current track, and offer
  /// another one by preparing it ahead.
  case chooseNext
  /// This track (or none) failed for good: mark it, and send `skip(to:)` with the queue's next that has
  /// not failed. Send nothing if there is none; the player stays failed.
  case moveOn(from: Track?)
  /// Send `retry` after this time, unless `cancelRetry` comes first.
  case scheduleRetry(after: Seconds)
  /// Forget a scheduled retry.
  case cancelRetry
  /// Log this error and show it; playing may well go on.
  case report(PlaybackError)
  /// Play the box's own short sound for this error.
  case playCue(PlaybackError)
  /// Write a checkpoint of the state after the transition.
  case checkpoint
}
