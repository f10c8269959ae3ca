// MPD's subsystems for `idle`, and their mapping from the daemon's events. Pure values.

/// Subsystems in the order in which `idle` reports them.
package enum MPDSubsystem: UInt8, Sendable, CaseIterable {
  case database, storedPlaylist, playlist, player, mixer, output, options, sticker, update, subscription,
    message, neighbor, mount, partition

  /// The protocol's name of the subsystem.
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

/// A set of subsystems.
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

  /// Removes all of `wanted`. Returns those that were in the set.
  mutating func take(_ wanted: MPDSubsystems) -> [MPDSubsystem] {
    let found = MPDSubsystem.allCases.filter { contains($0) && wanted.contains($0) }
    bits &= ~wanted.bits
    return found
  }

  /// Settings that belong to MPD's `options` subsystem.
  private static let options = ["queue.repeat", "queue.shuffle", "fade.length", "gain.mode", "all"]

  /// The subsystems that a daemon's event changes.
  static func changed(by subject: String, _ fields: BoxFields) -> MPDSubsystems {
    switch subject {
    case "state", "error": return MPDSubsystems([.player])
    // Opening a track reveals its tags and length, which clients see in the queue.
    case "track": return MPDSubsystems([.player, .playlist])
    case "queue": return MPDSubsystems([.playlist])
    case "volume": return MPDSubsystems([.mixer])
    case "setting":
      return options.contains { fields["key"] == $0 } ? MPDSubsystems([.options]) : .none
    case "sleep": return MPDSubsystems([.options])
    case "output": return MPDSubsystems([.output])
    // Storage that is merely slow has not changed.
    case "storage": return fields["waiting"] == nil ? MPDSubsystems([.database]) : .none
    case "playlist": return MPDSubsystems([.storedPlaylist])
    case "sticker": return MPDSubsystems([.sticker])
    // The queue shows tags from the index.
    case "library":
      let isChanged = fields.integer("changed") ?? 0 > 0
      return MPDSubsystems(isChanged ? [.update, .database, .playlist] : [.update])
    default: return .none
    }
  }
}

/// The number of changes per subsystem since the server's start.
struct MPDChangeCounts: Hashable, Sendable {
  private var counts = [UInt32](repeating: 0, count: MPDSubsystem.allCases.count)

  mutating func add(_ changed: MPDSubsystems) {
    for subsystem in MPDSubsystem.allCases where changed.contains(subsystem) {
      counts[Int(subsystem.rawValue)] &+= 1
    }
  }

  subscript(_ subsystem: MPDSubsystem) -> UInt32 { counts[Int(subsystem.rawValue)] }
}
