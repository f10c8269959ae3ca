// The kinds of integration processes, and the commands that each may send. Pure; any thread.

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
