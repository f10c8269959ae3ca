// What happens when an RFID tag is placed on a reader or removed. Pure functions; control thread.

/// Effect of placing a tag whose music is already loaded (`tags.again`).
package enum TagAgain: UInt8, Hashable, Sendable, CaseIterable {
  /// Pause or resume.
  case toggle
  /// Skip to the next track.
  case next
  /// Restart from the beginning.
  case restart
  case nothing

  /// Value in `tags.again`.
  package var name: String {
    switch self {
    case .toggle: "toggle"
    case .next: "next"
    case .restart: "restart"
    case .nothing: "nothing"
    }
  }
}

/// Effect of removing a tag from its reader (`tags.removed`).
package enum TagRemoved: UInt8, Hashable, Sendable, CaseIterable {
  case nothing, pause, stop

  /// Value in `tags.removed`.
  package var name: String {
    switch self {
    case .nothing: "nothing"
    case .pause: "pause"
    case .stop: "stop"
    }
  }
}

/// Action for a tag.
package enum TagAction: Hashable, Sendable {
  /// Run the tag's command; without `fromStart`, music resumes at its bookmark if there is one.
  case begin(fromStart: Bool)
  /// Pause or resume.
  case toggle
  case playOn
  case pause
  case stop
  case next
  case nothing
}

/// Decides the actions for tags from the settings.
package struct TagRules: Hashable, Sendable {
  /// Value of `tags.again`.
  package var again: TagAgain
  /// Value of `tags.removed`.
  package var removed: TagRemoved

  /// Rules with these settings.
  package init(again: TagAgain, removed: TagRemoved) {
    self.again = again
    self.removed = removed
  }

  /// Decides the action when a tag with a command is placed on a reader.
  ///
  /// - Parameters:
  ///   - isCurrent: Whether this tag started the present queue.
  ///   - wasLifted: Whether it was removed from a reader since then.
  ///   - state: The player's state.
  package func action(placing isCurrent: Bool, wasLifted: Bool, in state: PlayerState.Kind) -> TagAction {
    guard isCurrent else { return .begin(fromStart: false) }
    switch state {
    case .idle, .finished, .failed: return .begin(fromStart: false)
    case .ready, .preparing, .playing, .paused, .buffering, .seeking, .preparingCrossfade, .crossfading,
      .crossfadePaused, .fadingOut:
      break
    }
    // If its removal has paused the music, its return resumes it, regardless of `tags.again`.
    if wasLifted, removed != .nothing { return state == .fadingOut ? .begin(fromStart: false) : .playOn }
    switch again {
    case .toggle: return .toggle
    case .next: return .next
    case .restart: return .begin(fromStart: true)
    case .nothing: return .nothing
    }
  }

  /// Decides the action when a tag is removed from its reader.
  package func action(lifting isCurrent: Bool) -> TagAction {
    guard isCurrent else { return .nothing }
    switch removed {
    case .nothing: return .nothing
    case .pause: return .pause
    case .stop: return .stop
    }
  }
}
