// The commands that network clients and integration processes may send. Pure; any thread.

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
  /// The command's class for network clients.
  package var networkReach: NetworkReach {
    guard properties.uses.contains(.network) else { return .none }
    return properties.reply == .mayWait ? .storage : .atOnce
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
    let uses = command.properties.uses
    switch self {
    case .mpd: return uses.contains(.mpd)
    case .mqtt: return uses.contains(.mqtt) || uses.contains(.network)
    case .discovery: return false
    }
  }
}
