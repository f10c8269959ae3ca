// Effects of the daemon's lifecycle and the facts that it depends on. Pure values; control thread.

/// An effect of the lifecycle. Effects are carried out in order.
package enum BoxEffect: Hashable, Sendable {
  // MARK: Start

  /// Report `buttonReleased` or `buttonHeld`.
  case checkButton
  /// Apply the configuration that was read in time, or the settings of a safe start.
  case applyConfiguration(isSafe: Bool)
  /// Apply the configuration that was read late to controls, output, volume and sessions.
  case adoptConfiguration
  /// Count this start, to detect a crash loop.
  case countStart
  /// Begin to load bookmarks and saved state.
  case readState
  /// Open the configured output; report `outputOpened` or `cannotRun`.
  case openOutput
  /// Open a placeholder for the output; report `outputOpened` or `cannotRun`.
  case openPlaceholder
  /// Watch for removable storage.
  case watchStorage
  /// Restore the loaded state; report `stateDecided`.
  case restoreState
  /// Drop the loaded state, because the user has started something else; report `stateDecided`.
  case dropState
  /// Accept commands of sessions, buttons and the configuration.
  case acceptCommands
  /// Report to the service manager and the log that the start is complete.
  case notifyReady
  /// Show a cautious start after crashes, or else skipped configuration lines.
  case showCaution
  /// Show skipped configuration lines.
  case showSkippedLines
  /// Run the configuration's commands, then play the start cue.
  case runConfiguredCommands
  /// Log that the configuration's commands are skipped.
  case skipConfiguredCommands
  /// Begin the watchdog's pings.
  case startWatchdog
  /// Play other music if a play command has waited for the saved state, which has none.
  case playIfRequested

  // MARK: End

  /// Report to the service manager that the daemon ends.
  case notifyStopping
  /// Reset the count of crashes.
  case resetStartCount
  /// Write all state files; report `saved`.
  case save
  /// Stop the timers that could start something new.
  case stopActivity
  /// Disconnect the player's observer.
  case detachPlayer
  /// Pause music and stop announcements.
  case fadeOut
  /// End all controllers.
  case close

  // MARK: Timers

  /// Start a timer, or start it anew.
  case start(BoxTimer)
  /// Stop a timer.
  case stop(BoxTimer)

  /// Name in tables.
  package var name: String {
    switch self {
    case .checkButton: "checkButton"
    case .applyConfiguration(let isSafe): isSafe ? "applySafeSettings" : "applyConfiguration"
    case .adoptConfiguration: "adoptConfiguration"
    case .countStart: "countStart"
    case .readState: "readState"
    case .openOutput: "openOutput"
    case .openPlaceholder: "openPlaceholder"
    case .watchStorage: "watchStorage"
    case .restoreState: "restoreState"
    case .dropState: "dropState"
    case .acceptCommands: "acceptCommands"
    case .notifyReady: "notifyReady"
    case .showCaution: "showCaution"
    case .showSkippedLines: "showSkippedLines"
    case .runConfiguredCommands: "runConfiguredCommands"
    case .skipConfiguredCommands: "skipConfiguredCommands"
    case .startWatchdog: "startWatchdog"
    case .playIfRequested: "playIfRequested"
    case .notifyStopping: "notifyStopping"
    case .resetStartCount: "resetStartCount"
    case .save: "save"
    case .stopActivity: "stopActivity"
    case .detachPlayer: "detachPlayer"
    case .fadeOut: "fadeOut"
    case .close: "close"
    case .start(let timer): "start " + timer.name
    case .stop(let timer): "stop " + timer.name
    }
  }
}

/// A timer of the lifecycle.
package enum BoxTimer: UInt8, Hashable, Sendable, CaseIterable {
  /// Limits how long commands wait for the saved state.
  case commands
  /// Limits how long a play command waits for the saved state.
  case play
  /// Expires on the next turn of the event loop.
  case turn
  /// Limits the fade-out at the end.
  case fade

  /// Nanoseconds until the timer expires.
  package var nanoseconds: UInt64 {
    switch self {
    case .commands: 500_000_000
    case .play: 10_000_000_000
    case .turn: 0
    case .fade: 300_000_000
    }
  }

  /// The event of its expiry.
  package var event: BoxEvent {
    switch self {
    case .commands: .commandsDue
    case .play: .playDue
    case .turn: .turnEnded
    case .fade: .fadeEnded
    }
  }

  /// Name in tables.
  package var name: String {
    switch self {
    case .commands: "commands"
    case .play: "play"
    case .turn: "turn"
    case .fade: "fade"
    }
  }
}

/// Facts about the player that decide transitions, at the time of an event.
package struct LifecycleFacts: Hashable, Sendable {
  /// Whether the user has started nothing: the queue is empty and the player idle.
  package var isFree: Bool
  /// Whether music, an announcement or a live source can be heard.
  package var isSounding: Bool

  /// Creates facts; by default those of a box without a player.
  package init(isFree: Bool = true, isSounding: Bool = false) {
    self.isFree = isFree
    self.isSounding = isSounding
  }
}
