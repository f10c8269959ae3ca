// Phases of the daemon from process start to exit. Pure values; control thread.

import Platform

/// Phase of the daemon. Each phase before `running` and each one after it ends by a timeout at the latest, except the two
/// that accept commands while storage does not respond: `waitingForConfiguration` and `waitingForState`.
package enum BoxPhase: Hashable, Sendable {
  /// The configuration file is read, for at most 0.5 s.
  case readingConfiguration
  /// The button of a safe start was down at power-on; decided after 2 s at the latest.
  case checkingButton
  /// The configured output is opened while the saved state loads.
  case openingOutput(hasBookmarks: Bool, isStateDecided: Bool)
  /// The output is open; commands wait for the saved state, for at most 0.5 s.
  case readingState(StateLoading)
  /// The configuration was not read in time; a placeholder for the output is opened.
  case openingPlaceholder
  /// Commands are accepted with default settings, because the configuration is not read yet.
  case waitingForConfiguration(PlayWait)
  /// The configuration was read late. Its commands wait for the saved state, for at most 0.5 s.
  case adoptingConfiguration(LateStateLoading, runsCommands: Bool)
  /// Commands are accepted; the saved state is still loading.
  case waitingForState(PlayWait)
  /// Commands are accepted and the saved state is decided: restored, dropped, absent or unreadable.
  case running
  /// The end was requested and begins with the next turn of the event loop.
  case stopping(EndReason, hasOutput: Bool)
  /// The state files are written, each for at most 2 s.
  case saving(EndReason)
  /// The sound fades out, for 0.3 s.
  case fadingOut(EndReason)
  /// The daemon has ended.
  case ended(EndReason)
  /// The process cannot create descriptors or threads.
  case failed(SystemError)
}

/// Why the daemon ends.
package enum EndReason: Hashable, Sendable, CaseIterable {
  /// The command 'shutdown'.
  case command
  /// A signal such as SIGTERM.
  case signal
}

/// Whether a play command still waits for the saved state.
package enum PlayWait: Hashable, Sendable, CaseIterable {
  /// Playing means resuming what was saved, once it is loaded.
  case active
  /// The wait has timed out: playing means other music.
  case expired
}

/// Progress of loading the saved state before commands are accepted. The bookmarks are read first.
package enum StateLoading: Hashable, Sendable {
  /// The state is loading.
  case loading(hasBookmarks: Bool)
  /// The state is loaded, and restored once the bookmarks are read.
  case held
  /// There is no state to restore; only the bookmarks are loading.
  case decided
}

/// Progress of loading the saved state after the configuration was read late.
package enum LateStateLoading: Hashable, Sendable {
  /// The state is loading.
  case loading(hasBookmarks: Bool, PlayWait)
  /// The state is loaded, and restored once the bookmarks are read.
  case held(PlayWait)
  /// The state was restored or dropped, or there is none.
  case decided(hasBookmarks: Bool)
}

extension BoxPhase {
  /// A phase without its contents.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case readingConfiguration, checkingButton, openingOutput, readingState, openingPlaceholder
    case waitingForConfiguration, adoptingConfiguration, waitingForState, running
    case stopping, saving, fadingOut, ended, failed

    /// Name in tables.
    package var name: String {
      switch self {
      case .readingConfiguration: "readingConfiguration"
      case .checkingButton: "checkingButton"
      case .openingOutput: "openingOutput"
      case .readingState: "readingState"
      case .openingPlaceholder: "openingPlaceholder"
      case .waitingForConfiguration: "waitingForConfiguration"
      case .adoptingConfiguration: "adoptingConfiguration"
      case .waitingForState: "waitingForState"
      case .running: "running"
      case .stopping: "stopping"
      case .saving: "saving"
      case .fadingOut: "fadingOut"
      case .ended: "ended"
      case .failed: "failed"
      }
    }
  }

  /// The kind of the phase.
  package var kind: Kind {
    switch self {
    case .readingConfiguration: .readingConfiguration
    case .checkingButton: .checkingButton
    case .openingOutput: .openingOutput
    case .readingState: .readingState
    case .openingPlaceholder: .openingPlaceholder
    case .waitingForConfiguration: .waitingForConfiguration
    case .adoptingConfiguration: .adoptingConfiguration
    case .waitingForState: .waitingForState
    case .running: .running
    case .stopping: .stopping
    case .saving: .saving
    case .fadingOut: .fadingOut
    case .ended: .ended
    case .failed: .failed
    }
  }

  /// Whether sessions and buttons are open and their commands are accepted.
  package var acceptsCommands: Bool {
    switch self {
    case .waitingForConfiguration, .adoptingConfiguration, .waitingForState, .running: true
    case .readingConfiguration, .checkingButton, .openingOutput, .readingState, .openingPlaceholder,
      .stopping,
      .saving, .fadingOut, .ended, .failed:
      false
    }
  }

  /// Whether the end was requested: commands are refused.
  package var isEnding: Bool {
    switch self {
    case .stopping, .saving, .fadingOut, .ended: true
    case .readingConfiguration, .checkingButton, .openingOutput, .readingState, .openingPlaceholder,
      .waitingForConfiguration, .adoptingConfiguration, .waitingForState, .running, .failed:
      false
    }
  }

  /// Whether a play command waits for the saved state.
  package var awaitsState: Bool {
    switch self {
    case .readingConfiguration, .checkingButton, .openingPlaceholder: true
    case .openingOutput(_, let isStateDecided): !isStateDecided
    case .readingState(let loading): loading != .decided
    case .waitingForConfiguration(let wait), .waitingForState(let wait),
      .adoptingConfiguration(.loading(_, let wait), _), .adoptingConfiguration(.held(let wait), _):
      wait == .active
    case .adoptingConfiguration(.decided, _), .running, .stopping, .saving, .fadingOut, .ended, .failed: false
    }
  }
}
