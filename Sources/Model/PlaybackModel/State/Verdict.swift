// Results of the state machine: verdicts, rejections and transitions. Pure values; control thread.

/// Why an event was rejected.
package enum Rejection: Hashable, Sendable {
  /// The event has no meaning in this state.
  case meaningless(PlayerEvent.Kind, in: PlayerState.Kind)
  /// There is no track to retry.
  case nothingToRetry
  /// The fade is already finishing quickly.
  case nothingToFinish
  /// The report concerns a track that the state does not hold.
  case wrongTrack(PlayerEvent.Kind, in: PlayerState.Kind)
  /// The queue is empty.
  case emptyQueue
  /// The current track has failed, and the queue has no other track in this direction.
  case nothingBehindFailure

  /// The reason as one sentence for the user.
  package var sentence: String {
    switch self {
    case .meaningless(let event, let state):
      "'" + event.word + "' has no meaning while " + state.name + "; " + event.meaning + "."
    case .nothingToRetry: "There is no track to try again."
    case .nothingToFinish: "The fade is about to end anyway."
    case .wrongTrack(let event, let state):
      "'" + event.word + "' is about a track that is not there while " + state.name + "."
    case .emptyQueue: "The queue is empty; 'play PATH' fills it."
    case .nothingBehindFailure: "The queue has no other track there."
    }
  }
}

/// Verdict on an event.
package enum Verdict: Hashable, Sendable {
  /// The state or its contents have changed.
  case changed
  /// Accepted; the state is unchanged.
  case unchanged
  /// Rejected; the state is unchanged.
  case rejected(Rejection)

  /// Whether the event was rejected.
  package var isRejected: Bool {
    if case .rejected = self { return true }
    return false
  }
}

/// One entry of the history.
package struct Transition: Sendable {
  /// Number of the event, from 1.
  package let sequence: UInt64
  /// Nanoseconds of the engine's clock.
  package let time: UInt64
  /// The event.
  package let event: PlayerEvent
  /// The state before the event.
  package let from: PlayerState
  /// The state after the event.
  package let to: PlayerState
  /// The verdict.
  package let verdict: Verdict
}

/// Result of handling an event.
package struct Outcome: Sendable {
  /// The state after the event.
  package let state: PlayerState
  /// The effects, to be performed in this order.
  package let effects: [PlayerEffect]
  /// The verdict.
  package let verdict: Verdict
}

extension PlayerEvent.Kind {
  /// The name as users type it, such as `finish-fade`.
  package var word: String {
    var bytes: [UInt8] = []
    for byte in name.utf8 { bytes += (0x41...0x5A).contains(byte) ? [0x2D, byte | 0x20] : [byte] }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// When the event has a meaning, or what to do in its place; continues a sentence.
  fileprivate var meaning: String {
    switch self {
    case .seek, .pause, .toggle, .stop, .skip: "'play' begins"
    case .finishFade: "it ends a crossfade early"
    case .retry, .reset: "it is for a track that has failed"
    case .wake: "it ends 'standby'"
    case .interruptionEnded: "no interruption is in effect"
    default: "'status' lists the possible actions"
    }
  }
}
