// Playback actions, and the function that decides which are accepted. Pure; control thread.

/// A playback action, without its arguments.
package enum PlayerAction: UInt8, Hashable, Sendable, CaseIterable {
  /// Replace the queue and play: `play PATH`.
  case load
  /// Play, or set the intent to play.
  case play
  /// Pause, or set the intent to pause.
  case pause
  /// Play if silent, pause otherwise.
  case toggle
  /// Stop.
  case stop
  /// Skip to the next track.
  case next
  /// Skip to the previous track, or restart the current one.
  case previous
  /// Seek in the current track.
  case seek
  /// Play the rest of a running fade within the quick-finish length.
  case finishFade
  /// Retry after a failure.
  case retry
  /// Dismiss a failure.
  case reset

  /// Command name; `load` is `play PATH`.
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

/// Facts besides the state that determine which actions are accepted.
package struct PlayerHoldings: Hashable, Sendable {
  /// Whether the queue has an entry.
  package var hasQueue: Bool
  /// Whether `next` leads to a track; used only after a failure.
  package var hasNext: Bool
  /// Whether `previous` leads to a track; used only after a failure.
  package var hasPrevious: Bool
  /// Whether the stopped or ended track was removed from the queue.
  package var isEndedTrackRemoved: Bool
  /// Whether a live input is playing.
  package var hasLiveSource: Bool

  /// Holdings; by default a queue with tracks before and after the current one.
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
  /// Decides whether an action is accepted, without performing it.
  ///
  /// All command interfaces call it first; `status`, the embedding API and docs/reference/states.md list its results.
  ///
  /// - Parameters:
  ///   - action: The action.
  ///   - holdings: Facts besides the state.
  ///   - moment: The present positions.
  /// - Returns: The reason for a refusal; nil if the action is accepted.
  package func refusal(
    of action: PlayerAction, with holdings: PlayerHoldings, at moment: Moment
  ) -> Rejection? {
    // Evaluate the rules at a single call site: Swift 6.3's optimiser aborts with libFuzzer coverage if they are
    // inlined several times.
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
      // Without music to resume, toggle ends the live input.
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
