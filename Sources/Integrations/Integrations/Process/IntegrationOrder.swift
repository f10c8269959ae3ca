// The parameters with which an integration's process is started. A value; any thread.

/// The start parameters of an integration.
package struct IntegrationOrder: Hashable, Sendable {
  /// The integration: `mpd`, `mqtt` or `discovery`.
  package var name: String
  /// Further command line arguments; visible to all users of the machine.
  package var words: [String]
  /// The password that clients must send, or that the integration sends to a broker; nil: none.
  package var password: String?
  /// The path of the daemon's control socket.
  package var socket: String
  /// The status shown until the integration reports another one, such as `listens at 127.0.0.1:6600`.
  package var standing: String

  /// Creates start parameters.
  package init(name: String, words: [String], password: String?, socket: String, standing: String) {
    self.name = name
    self.words = words
    self.password = password
    self.socket = socket
    self.standing = standing
  }
}
