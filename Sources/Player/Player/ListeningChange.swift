// Which tracks came to be heard or stopped being heard with a change of state. A pure value.

import PlaybackModel

/// What a transition means for whoever counts what was listened to.
struct ListeningChange: Equatable {
  /// A track that is not listened to any more.
  struct Left: Equatable {
    var track: Track
    /// Where it was left, in its frames.
    var position: Frames
    /// Whether it was heard to its end.
    var isOver: Bool
  }

  /// The track that is not listened to any more.
  var left: Left?
  /// The track that is listened to from now on.
  var began: Track?

  /// The change from one state to the next by an event at a moment; nil where the same track is listened to.
  ///
  /// - Parameter ending: Where the track ends that is heard to the end of its ring, and whether that is its own last frame;
  ///   nil where the decks do not know.
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
    // The fade at a track's end reaches its last frame; a person's fade leaves it before.
    case .crossfadeBegan(_, let fade) where before.fades(toTheEndOf: old, over: fade, at: moment, ending):
      let isWhole = ending?.isWhole ?? true
      let position = isWhole ? old.length ?? moment.current : ending?.position ?? moment.current
      left = Left(track: old, position: position, isOver: isWhole)
    case .didAdvance, .didReachEnd:
      // The moment is the next track's already.
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
  /// Whether a fade that begins in this state ends with the last frame of its outgoing track.
  fileprivate func fades(
    toTheEndOf track: Track, over fade: Fade, at moment: Moment, _ ending: (position: Frames, isWhole: Bool)?
  ) -> Bool {
    let reachesEnd = track.length.map { moment.current + fade.length >= $0 } ?? true
    switch self {
    // A fade that a person asked for may begin after a pause has withdrawn it. A truncated file ends before its stated length.
    case .preparingCrossfade(_, _, let plan):
      return plan.trigger == .automatic && (reachesEnd || ending?.isWhole == false)
    // The ramp of a stop is silent before the fade has come to its end.
    case .fadingOut(_, let duration): return duration >= fade.length && reachesEnd
    default: return reachesEnd
    }
  }

  /// The track that is heard, or was until a pause; of a fade's two the incoming one.
  fileprivate var listenedTrack: Track? {
    switch self {
    case .playing, .buffering, .seeking, .paused, .preparingCrossfade, .crossfading, .crossfadePaused,
      .fadingOut:
      heardTrack
    case .idle, .preparing, .ready, .finished, .failed: nil
    }
  }
}
