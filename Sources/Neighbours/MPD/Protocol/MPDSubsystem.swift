// The parts of a player whose changes `idle` tells of. Pure values.

/// Subsystems, in the order in which they are told.
package enum MPDSubsystem: UInt8, Sendable, CaseIterable {
  case database, storedPlaylist, playlist, player, mixer, output, options, sticker, update, subscription,
    message, neighbor, mount, partition

  /// The name in the protocol.
  package var name: String {
    switch self {
    case .database: "database"
    case .storedPlaylist: "stored_playlist"
    case .playlist: "playlist"
    case .player: "player"
    case .mixer: "mixer"
    case .output: "output"
    case .options: "options"
    case .sticker: "sticker"
    case .update: "update"
    case .subscription: "subscription"
    case .message: "message"
    case .neighbor: "neighbor"
    case .mount: "mount"
    case .partition: "partition"
    }
  }

  init(named name: String) throws(MPDRefusal) {
    for subsystem in Self.allCases where subsystem.name == name {
      self = subsystem
      return
    }
    throw MPDRefusal(.argument, "Unrecognized idle event: \(name)")
  }
}

/// Some of the subsystems.
package struct MPDSubsystems: Hashable, Sendable {
  private var bits: UInt32 = 0

  static let none = MPDSubsystems([])
  static let all = MPDSubsystems(MPDSubsystem.allCases)

  init(_ subsystems: [MPDSubsystem]) {
    for subsystem in subsystems { insert(subsystem) }
  }

  var isEmpty: Bool { bits == 0 }
  func contains(_ subsystem: MPDSubsystem) -> Bool { bits & 1 << UInt32(subsystem.rawValue) != 0 }
  mutating func insert(_ subsystem: MPDSubsystem) { bits |= 1 << UInt32(subsystem.rawValue) }

  /// Takes out those that are also in `wanted`.
  mutating func take(_ wanted: MPDSubsystems) -> [MPDSubsystem] {
    let found = MPDSubsystem.allCases.filter { contains($0) && wanted.contains($0) }
    bits &= ~wanted.bits
    return found
  }

  /// What an event of the box's feed means for those who wait for changes.
  static func changed(by subject: String) -> MPDSubsystems {
    switch subject {
    case "state", "track", "error": MPDSubsystems([.player])
    case "queue": MPDSubsystems([.playlist])
    case "volume": MPDSubsystems([.mixer])
    case "setting", "sleep": MPDSubsystems([.options])
    case "output": MPDSubsystems([.output])
    case "storage": MPDSubsystems([.database])
    case "playlist": MPDSubsystems([.storedPlaylist])
    case "sticker": MPDSubsystems([.sticker])
    case "library": MPDSubsystems([.database, .update])
    default: .none
    }
  }
}
