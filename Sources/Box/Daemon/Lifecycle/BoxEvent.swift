// Events of the daemon's lifecycle. Pure values; control thread.

import Platform

/// An event of the daemon's start or end.
package enum BoxEvent: Hashable, Sendable {
  // MARK: Configuration and output

  /// The configuration was read, in time or late. An absent or unreadable file counts as read, with defaults.
  case configurationRead
  /// The configuration was not read within 0.5 s.
  case configurationTimedOut
  /// The button of a safe start is not held.
  case buttonReleased
  /// The button of a safe start was held for 2 s.
  case buttonHeld
  /// The output is open, or a placeholder for a missing one.
  case outputOpened
  /// The process cannot create descriptors or threads.
  case cannotRun(SystemError)

  // MARK: Saved state

  /// The first read of the bookmarks has finished, with or without success, or nothing is saved.
  case bookmarksRead
  /// The saved state is loaded and can be restored.
  case stateLoaded
  /// The saved state was restored or dropped, is absent, or its storage has refused the first read.
  case stateDecided

  // MARK: Timers

  /// `BoxTimer.commands` has expired.
  case commandsDue
  /// `BoxTimer.play` has expired.
  case playDue
  /// `BoxTimer.turn` has expired.
  case turnEnded
  /// `BoxTimer.fade` has expired.
  case fadeEnded

  // MARK: End

  /// A command or a signal ends the daemon.
  case endRequested(EndReason)
  /// All state files are written, or their writes have failed or timed out.
  case saved
}

extension BoxEvent {
  /// An event without its contents.
  package enum Kind: UInt8, Hashable, Sendable, CaseIterable {
    case configurationRead, configurationTimedOut, buttonReleased, buttonHeld, outputOpened, cannotRun
    case bookmarksRead, stateLoaded, stateDecided
    case commandsDue, playDue, turnEnded, fadeEnded
    case endRequested, saved

    /// Name in tables.
    package var name: String {
      switch self {
      case .configurationRead: "configurationRead"
      case .configurationTimedOut: "configurationTimedOut"
      case .buttonReleased: "buttonReleased"
      case .buttonHeld: "buttonHeld"
      case .outputOpened: "outputOpened"
      case .cannotRun: "cannotRun"
      case .bookmarksRead: "bookmarksRead"
      case .stateLoaded: "stateLoaded"
      case .stateDecided: "stateDecided"
      case .commandsDue: "commandsDue"
      case .playDue: "playDue"
      case .turnEnded: "turnEnded"
      case .fadeEnded: "fadeEnded"
      case .endRequested: "endRequested"
      case .saved: "saved"
      }
    }
  }

  /// The kind of the event.
  package var kind: Kind {
    switch self {
    case .configurationRead: .configurationRead
    case .configurationTimedOut: .configurationTimedOut
    case .buttonReleased: .buttonReleased
    case .buttonHeld: .buttonHeld
    case .outputOpened: .outputOpened
    case .cannotRun: .cannotRun
    case .bookmarksRead: .bookmarksRead
    case .stateLoaded: .stateLoaded
    case .stateDecided: .stateDecided
    case .commandsDue: .commandsDue
    case .playDue: .playDue
    case .turnEnded: .turnEnded
    case .fadeEnded: .fadeEnded
    case .endRequested: .endRequested
    case .saved: .saved
    }
  }
}
