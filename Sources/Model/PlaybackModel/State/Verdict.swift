// What the machine made of an event. Pure values; control thread.

/// Why an event was rejected.
package enum Rejection: Hashable, Sendable {
  /// The event has no meaning in this state.
  case meaningless(PlayerEvent.Kind, in: PlayerState.Kind)
  /// There is no track to try again.
  case nothingToRetry
  /// The fade has no more left than a quick finish takes, or is being finished already.
  case nothingToFinish
  /// The report is about a track that the state does not hold.
  case wrongTrack(PlayerEvent.Kind, in: PlayerState.Kind)
  /// The queue is empty.
  case emptyQueue
  /// A track has failed, and the queue has no other one in this direction.
  case nothingBehindFailure

  /// The reason as one sentence for a person.
  package var sentence: String {
    switch self {
    case .meaningless(let event, let state): "'" + event.name + "' has no meaning while " + state.name + "."
    case .nothingToRetry: "There is no track to try again."
    case .nothingToFinish: "The fade is about to end anyway."
    case .wrongTrack(let event, let state):
      "'" + event.name + "' is about a track that is not there while " + state.name + "."
    case .emptyQueue: "The queue is empty; 'play PATH' fills it."
    case .nothingBehindFailure: "The queue has no other track there."
    }
  }
}

/// What the machine made of an event.
package enum Verdict: Hashable, Sendable {
  /// The state is another one, or has other contents.
  case changed
  /// Understood; the state stays as it is.
  case unchanged
  /// Not possible; the state stays as it is.
  case rejected(Rejection)

  /// Whether it is `rejected`.
  package var isRejected: Bool {
    if case .rejected = self { return true }
    return false
  }
}

/// One entry of the history.
package struct Transition: Sendable {
  /// Counts every event handled, from 1.
  package let sequence: UInt64
  /// Nanoseconds of the engine's clock.
  package let time: UInt64
  /// What happened.
  package let event: PlayerEvent
  /// The state before.
  package let from: PlayerState
  /// The state after.
  package let to: PlayerState
  /// What was made of it.
  package let verdict: Verdict
}

/// The machine's answer to an event.
package struct Outcome: Sendable {
  /// The state after the event.
  package let state: PlayerState
  /// The orders, to be carried out in this sequence.
  package let effects: [PlayerEffect]
  /// What was made of the event.
  package let verdict: Verdict
}
