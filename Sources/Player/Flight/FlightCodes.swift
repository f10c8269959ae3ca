// The one-byte codes of the flight recorder (command sources, mixer reports, decoder events, jobs) and their words in
// reports. Values; any thread.

import PlaybackModel

/// The origin of a command.
package enum CommandSource: UInt8, Hashable, Sendable, CaseIterable {
  case socket, serial, button, configuration, box

  /// The code's word in reports.
  package var word: String {
    switch self {
    case .socket: "socket"
    case .serial: "serial"
    case .button: "button"
    case .configuration: "configuration"
    case .box: "box"
    }
  }
}

/// A report of the mixer.
package enum MixerNews: UInt8, Hashable, Sendable, CaseIterable {
  case advanced, fadeBegan, fadeCompleted, ended, starved, refilled, paused, fadedOut, silent, released,
    corrupt
  case announcementBegan, announcementStarved, announcementEnded, announcementCorrupt
  case liveInputBegan, liveInputStarved, liveInputEnded, liveInputCorrupt

  /// The code's word in reports.
  package var word: String {
    switch self {
    case .advanced: "advanced"
    case .fadeBegan: "fade-began"
    case .fadeCompleted: "fade-completed"
    case .ended: "ended"
    case .starved: "starved"
    case .refilled: "refilled"
    case .paused: "paused"
    case .fadedOut: "faded-out"
    case .silent: "silent"
    case .released: "released"
    case .corrupt: "corrupt"
    case .announcementBegan: "announcement-began"
    case .announcementStarved: "announcement-starved"
    case .announcementEnded: "announcement-ended"
    case .announcementCorrupt: "announcement-corrupt"
    case .liveInputBegan: "live-began"
    case .liveInputStarved: "live-starved"
    case .liveInputEnded: "live-ended"
    case .liveInputCorrupt: "live-corrupt"
    }
  }
}

/// An event in the life of a deck's decoder.
package enum DecodingNews: UInt8, Hashable, Sendable, CaseIterable {
  case opening, refused, opened, ready, seeking, seeked, ended, failed, died, restarting

  /// The code's word in reports.
  package var word: String {
    switch self {
    case .opening: "opening"
    case .refused: "refused"
    case .opened: "opened"
    case .ready: "ready"
    case .seeking: "seeking"
    case .seeked: "seeked"
    case .ended: "ended"
    case .failed: "failed"
    case .died: "died"
    case .restarting: "restarting"
    }
  }
}

/// A kind of background work.
package enum BackgroundJob: UInt8, Hashable, Sendable, CaseIterable {
  case looking, checkpoint

  /// The code's word in reports.
  package var word: String {
    switch self {
    case .looking: "looking"
    case .checkpoint: "checkpoint"
    }
  }
}

extension PlaybackError.Kind {
  /// The error kind's word in reports.
  package var word: String {
    switch self {
    case .missing: "missing"
    case .unreadable: "unreadable"
    case .unsupportedFormat: "unsupported"
    case .corrupt: "corrupt"
    case .protected: "protected"
    case .network: "network"
    case .decoderCrashed: "crashed"
    case .decoderHung: "hung"
    case .decoderBrokeSandbox: "broke-sandbox"
    case .outputUnavailable: "output"
    case .storageRemoved: "storage-removed"
    case .refused: "refused"
    case .internal: "internal"
    }
  }
}
