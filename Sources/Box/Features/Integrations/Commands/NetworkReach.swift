// The commands that network clients and integration processes may send. Pure; any thread.

import PlaybackModel

/// Whether a network client may send a command, and how it is answered.
package enum NetworkReach: Hashable, Sendable {
  /// Allowed; answered at once.
  case atOnce
  /// Allowed; the answer may have to wait for storage.
  case storage
  /// Not allowed: it configures the box or belongs to a local session.
  case none
}

extension Command {
  /// The command's class. The switch has no default case, so that each new command needs a decision.
  package var networkReach: NetworkReach {
    switch self {
    case .play(let path): path == nil ? .atOnce : .storage
    case .pause, .toggle, .stop, .next, .previous, .seek, .finishFade, .retry, .reset, .volume, .mute, .sleep,
      .snooze, .limits, .stopAnnouncements, .equalizer, .bookmarks, .sources, .status, .current, .history,
      .stats:
      .atOnce
    case .playOffered, .alarm, .announce, .media, .library, .tag(.list), .tag(.swipe), .tag(.lift): .storage
    case .playlist(let command): command.isQuestion ? .storage : .none
    case .queue(let command):
      switch command {
      case .add, .insert: .storage
      default: .atOnce
      }
    case .test, .clearEqualizer, .clearBookmarks, .set, .cycle, .unset, .show, .diff, .save, .controls,
      .board, .tag, .watch, .picture, .sticker,
      .idle, .log, .report, .standby, .wake, .interruptionBegin, .interruptionEnd, .powerFailing, .shutdown,
      .format, .pin, .help, .exit:
      .none
    }
  }
}

/// A kind of integration process, by the protocol it serves.
package enum IntegrationKind: Hashable, Sendable, CaseIterable {
  case mpd, mqtt, discovery

  /// The name for log and error messages.
  package var title: String {
    switch self {
    case .mpd: "the MPD server"
    case .mqtt: "MQTT"
    case .discovery: "discovery"
    }
  }

  /// Whether this integration needs a command for its work. Any other command is refused, in case an
  /// attacker controls the process.
  package func mayGive(_ command: Command) -> Bool {
    switch self {
    case .mpd: Self.isMPDs(command)
    case .mqtt: Self.isOfEach(command) || command.networkReach != .none
    case .discovery: false
    }
  }

  /// Commands by which every integration receives events.
  private static func isOfEach(_ command: Command) -> Bool {
    switch command {
    case .idle, .format: true
    default: false
    }
  }

  private static func isMPDs(_ command: Command) -> Bool {
    switch command {
    case .play, .pause, .stop, .next, .previous, .seek, .reset, .volume, .queue, .media, .library, .picture,
      .sticker, .playlist, .status, .stats:
      true
    // `sleep track` implements MPD's 'single oneshot', and `sleep off` ends it.
    case .sleep(let timer): timer == .behind(.track) || timer == .off
    case .set(let setting, _): setting == .gainMode || setting == .fadeLength
    case .show(.one(let setting)):
      [Setting.gainMode, .fadeLength, .mediaRoot, .libraryEnabled].contains(setting)
    default: isOfEach(command)
    }
  }
}
