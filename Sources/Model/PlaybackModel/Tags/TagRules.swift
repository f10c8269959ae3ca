// What a tag that is put on a reader, or taken from it, means. Pure functions; control thread.

/// What a tag does whose music is being played already.
package enum TagAgain: UInt8, Hashable, Sendable, CaseIterable {
  /// It pauses, or plays on.
  case toggle
  /// It goes to the next track.
  case next
  /// It begins at the beginning.
  case restart
  case nothing

  /// As it is written in `tags.again`.
  package var name: String {
    switch self {
    case .toggle: "toggle"
    case .next: "next"
    case .restart: "restart"
    case .nothing: "nothing"
    }
  }
}

/// What happens where a tag is taken from its reader.
package enum TagRemoved: UInt8, Hashable, Sendable, CaseIterable {
  case nothing, pause, stop

  /// As it is written in `tags.removed`.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .pause: "pause"
    case .stop: "stop"
    }
  }
}

/// What a box does about a tag.
package enum TagAction: Hashable, Sendable {
  /// Carries out the tag's command; music begins where it was left, if that is known and wanted.
  case begin(fromStart: Bool)
  /// Pauses, or plays on.
  case toggle
  case playOn
  case pause
  case stop
  case next
  case nothing
}

/// What follows from tags, by the settings.
package struct TagRules: Hashable, Sendable {
  /// `tags.again`.
  package var again: TagAgain
  /// `tags.removed`.
  package var removed: TagRemoved

  /// Rules of a box.
  package init(again: TagAgain, removed: TagRemoved) {
    self.again = again
    self.removed = removed
  }

  /// A tag that has a command was put on a reader.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether the queue is what this tag has begun.
  ///   - wasLifted: Whether it was taken from a reader since it began.
  ///   - state: The player's state.
  package func action(placing isCurrent: Bool, wasLifted: Bool, in state: PlayerState.Kind) -> TagAction {
    guard isCurrent else { return .begin(fromStart: false) }
    switch state {
    case .idle, .finished, .failed: return .begin(fromStart: false)
    case .ready, .preparing, .playing, .paused, .buffering, .seeking, .preparingCrossfade, .crossfading,
      .crossfadePaused, .fadingOut:
      break
    }
    // What its absence has paused, its return plays on, whatever a second swipe does.
    if wasLifted, removed != .nothing { return state == .fadingOut ? .begin(fromStart: false) : .playOn }
    switch again {
    case .toggle: return .toggle
    case .next: return .next
    case .restart: return .begin(fromStart: true)
    case .nothing: return .nothing
    }
  }

  /// A tag was taken from its reader.
  package func action(lifting isCurrent: Bool) -> TagAction {
    guard isCurrent else { return .nothing }
    switch removed {
    case .nothing: return .nothing
    case .pause: return .pause
    case .stop: return .stop
    }
  }
}
