// How far a command reaches that comes over a network, and which of them an integration's process may give. Pure; any thread.

import PlaybackModel

/// What a command comes to that somebody gives who is not at the box.
package enum NetworkReach: Hashable, Sendable {
  /// It plays, sounds or asks, and is answered at once.
  case atOnce
  /// The same, and it may have to wait for storage.
  case storage
  /// It sets up the box, or concerns a session.
  case none
}

extension Command {
  /// What it comes to. Total, so that nobody adds a command without deciding whether the network may give it.
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

/// An integration's process, by whom it speaks for.
package enum IntegrationKind: Hashable, Sendable, CaseIterable {
  case mpd, mqtt, discovery

  /// What people call it.
  package var title: String {
    switch self {
    case .mpd: "the MPD server"
    case .mqtt: "MQTT"
    case .discovery: "discovery"
    }
  }

  /// Whether it has to give a command to do what it is for. What it never gives by itself, a stranger would who has taken it over.
  package func mayGive(_ command: Command) -> Bool {
    switch self {
    case .mpd: Self.isMPDs(command)
    case .mqtt: Self.isOfEach(command) || command.networkReach != .none
    case .discovery: false
    }
  }

  /// How it listens.
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
    // What MPD calls 'single oneshot', and its end.
    case .sleep(let timer): timer == .behind(.track) || timer == .off
    case .set(let setting, _): setting == .gainMode || setting == .fadeLength
    case .show(.one(let setting)):
      [Setting.gainMode, .fadeLength, .mediaRoot, .libraryEnabled].contains(setting)
    default: isOfEach(command)
    }
  }
}
