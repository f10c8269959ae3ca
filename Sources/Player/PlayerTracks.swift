// Which track is heard: the box remembers where long ones were left. Control thread only.

import PlaybackModel
import RealtimeAudio

extension Player {
  /// Tells of the track that came to be heard or is not heard any more. `moment` is the event's.
  func followTracks(from before: PlayerState, _ event: PlayerEvent, at moment: Moment) {
    let after = machine.state
    let old = before.heardTrack
    let new = after.heardTrack
    guard old?.id != new?.id else { return }
    if let old {
      let isFading = before.kind == .crossfading || before.kind == .crossfadePaused
      let isOver: Bool
      switch event {
      case .didAdvance, .didReachEnd: isOver = true
      default: isOver = false
      }
      var position = isFading ? moment.next ?? .zero : moment.current
      // The moment is the next track's already.
      if isOver { position = old.length ?? .zero }
      observer?.player(self, left: old, at: position, isOver: isOver)
    }
    if let new { observer?.player(self, began: new) }
  }

  /// Where a track begins that nobody asked a position of.
  func firstPosition(of track: Track, wanted: Frames) -> Frames {
    guard wanted == .zero, let position = startPosition(track) else { return wanted }
    return max(.zero, position)
  }

  /// Plays one of the box's own sounds over whatever is heard; it starts the output if that is at rest. None
  /// where the audio thread is held up.
  public func playCue(_ sound: CueSound, gain: Gain) {
    guard !isOverloaded else { return }
    send(.playCue(sound, gain: gain))
    // Not at once: the commands of one event go together.
    planSoon()
  }
}

extension PlayerState {
  /// The track that is being listened to; of a fade's two the coming one.
  var heardTrack: Track? {
    switch self {
    case .playing(let track), .buffering(let track, _), .seeking(let track, _, _), .paused(let track, _, _),
      .preparingCrossfade(let track, _, _), .crossfading(_, let track, _, _, _),
      .crossfadePaused(_, let track, _, _, _), .fadingOut(let track, _):
      track
    case .idle, .preparing, .ready, .finished, .failed: nil
    }
  }
}
