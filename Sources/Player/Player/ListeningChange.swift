// Derives from a state transition which track has started or stopped being listened to. A pure value.

import PlaybackModel

/// A change of the track being listened to, for statistics and bookmarks.
struct ListeningChange: Equatable {
  /// The track that is no longer listened to.
  struct Left: Equatable {
    var track: Track
    /// Where it was left, in frames of the track.
    var position: Frames
    /// Whether it was played to its end.
    var isOver: Bool
  }

  /// The track that is no longer listened to.
  var left: Left?
  /// The track that is listened to now.
  var began: Track?

  /// The change caused by a transition; nil if the same track is listened to.
  ///
  /// - Parameters:
  ///   - before: The state before the event.
  ///   - after: The state after the event.
  ///   - event: The event.
  ///   - moment: The audible positions at the event.
  ///   - ending: The end of a track that was played to the end of its ring, and whether that is its own last frame;
  ///     nil if the decks do not know it.
  init?(
    from before: PlayerState, to after: PlayerState, by event: PlayerEvent, at moment: Moment,
    ending: (position: Frames, isWhole: Bool)? = nil
  ) {
    let old = before.listenedTrack
    began = after.listenedTrack
    guard old?.id != began?.id else { return nil }
    guard let old else { return }
    let isFading = before.kind == .crossfading || before.kind == .crossfadePaused
    switch event {
    // An automatic fade reaches the track's last frame; a fade requested by the user leaves the track before it.
    case .crossfadeBegan(_, let fade) where before.fades(toTheEndOf: old, over: fade, at: moment, ending):
      let isWhole = ending?.isWhole ?? true
      let position = isWhole ? old.length ?? moment.current : ending?.position ?? moment.current
      left = Left(track: old, position: position, isOver: isWhole)
    case .didAdvance, .didReachEnd:
      // `moment` already refers to the next track.
      let isWhole = ending?.isWhole ?? true
      let position = isWhole ? old.length ?? ending?.position ?? .zero : ending?.position ?? .zero
      left = Left(track: old, position: position, isOver: isWhole)
    default:
      let position = isFading ? moment.next ?? .zero : moment.current
      left = Left(track: old, position: position, isOver: false)
    }
  }
}

extension PlayerState {
  /// Whether a fade beginning in this state ends with the last frame of its outgoing track.
  fileprivate func fades(
    toTheEndOf track: Track, over fade: Fade, at moment: Moment, _ ending: (position: Frames, isWhole: Bool)?
  ) -> Bool {
    let reachesEnd = track.length.map { moment.current + fade.length >= $0 } ?? true
    switch self {
    // A fade requested by the user can begin after a pause has withdrawn it. A truncated file ends before its stated
    // length.
    case .preparingCrossfade(_, _, let plan):
      return plan.trigger == .automatic && (reachesEnd || ending?.isWhole == false)
    // The ramp of a stop may be silent before the fade ends.
    case .fadingOut(_, let duration): return duration >= fade.length && reachesEnd
    default: return reachesEnd
    }
  }

  /// The track that is audible, or was until a pause; in a fade the incoming one.
  fileprivate var listenedTrack: Track? {
    switch self {
    case .playing, .buffering, .seeking, .paused, .preparingCrossfade, .crossfading, .crossfadePaused,
      .fadingOut:
      heardTrack
    case .idle, .preparing, .ready, .finished, .failed: nil
    }
  }
}
