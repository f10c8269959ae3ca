// The requests about what is played, and the one function that decides which of them are accepted. Pure; control thread.

/// A request about what is played, without its values.
package enum PlayerAction: UInt8, Hashable, Sendable, CaseIterable {
  /// Replace the queue and play: `play PATH`.
  case load
  /// Play, or intend to.
  case play
  /// Pause, or intend to.
  case pause
  /// Play if silent, pause if not.
  case toggle
  /// Stop.
  case stop
  /// Go to the next track.
  case next
  /// Go to the previous track, or to the beginning of this one.
  case previous
  /// Go to a position of the current track.
  case seek
  /// Play the rest of a running fade within the quick-finish length.
  case finishFade
  /// Try again after a failure.
  case retry
  /// Leave a failure behind.
  case reset

  /// The command as it is typed; `load` is `play PATH`.
  package var name: String {
    switch self {
    case .load: "load"
    case .play: "play"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .seek: "seek"
    case .finishFade: "finish-fade"
    case .retry: "retry"
    case .reset: "reset"
    }
  }
}

/// What a player holds besides its state, as far as it decides which actions are accepted.
package struct PlayerHoldings: Hashable, Sendable {
  /// Whether the queue holds an entry.
  package var hasQueue: Bool
  /// Whether `next` leads to a track; asked only where a track has failed.
  package var hasNext: Bool
  /// Whether `previous` leads to a track; asked only where a track has failed.
  package var hasPrevious: Bool
  /// Whether the track that was stopped or has ended is in the queue no more.
  package var isEndedTrackRemoved: Bool
  /// Whether a live source sounds.
  package var hasLiveSource: Bool

  /// A queue with tracks before and behind the current one, and nothing else.
  package init(
    hasQueue: Bool = true, hasNext: Bool = true, hasPrevious: Bool = true, isEndedTrackRemoved: Bool = false,
    hasLiveSource: Bool = false
  ) {
    self.hasQueue = hasQueue
    self.hasNext = hasNext
    self.hasPrevious = hasPrevious
    self.isEndedTrackRemoved = isEndedTrackRemoved
    self.hasLiveSource = hasLiveSource
  }
}

extension PlayerStateMachine {
  /// Decides whether an action is accepted. Every entrance asks it before it performs one, and `status`, the embedding API and
  /// docs/states.md list what it accepts. Nothing is performed.
  ///
  /// - Parameters:
  ///   - action: The request.
  ///   - holdings: What the player holds besides its state.
  ///   - moment: The present positions.
  /// - Returns: The reason of a refusal; nil: the action is accepted.
  package func refusal(
    of action: PlayerAction, with holdings: PlayerHoldings, at moment: Moment
  ) -> Rejection? {
    // The rules are asked in one place: the optimiser of Swift 6.3 with libFuzzer's coverage aborts where they are inlined in several.
    let event: PlayerEvent
    switch action {
    case .load: return nil
    case .play:
      switch state {
      case .idle, .finished: return holdings.hasQueue ? nil : .emptyQueue
      case .fadingOut where holdings.isEndedTrackRemoved: return holdings.hasQueue ? nil : .emptyQueue
      default: event = .play
      }
    case .toggle:
      // Where there is no music to go back to, a live source is silenced.
      if state.currentTrack == nil, !holdings.hasQueue, holdings.hasLiveSource { return nil }
      if state.currentTrack == nil || state.hasFailedForGood || holdings.isEndedTrackRemoved {
        return refusal(of: .play, with: holdings, at: moment)
      }
      event = .toggle
    case .next:
      guard holdings.hasQueue else { return .emptyQueue }
      return state.kind == .failed && !holdings.hasNext ? .nothingBehindFailure : nil
    case .previous:
      guard holdings.hasQueue else { return .emptyQueue }
      return state.kind == .failed && !holdings.hasPrevious ? .nothingBehindFailure : nil
    case .seek:
      guard !holdings.isEndedTrackRemoved else { return .meaningless(.seek, in: state.kind) }
      event = .seek(.zero)
    case .pause: event = .pause
    case .stop: event = .stop
    case .finishFade: event = .finishFade
    case .retry: event = .retry
    case .reset: event = .reset
    }
    return rejection(of: event, at: moment)
  }
}
