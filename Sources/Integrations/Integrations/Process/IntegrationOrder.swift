// What an integration is started with. A value; any thread.

/// What an integration is started with.
package struct IntegrationOrder: Hashable, Sendable {
  /// Which integration: `mpd`, `mqtt` or `discovery`.
  package var name: String
  /// The words of its command line after its name; all of the machine's users may read them.
  package var words: [String]
  /// What its clients have to say first, or it says to others; nil: nothing.
  package var password: String?
  /// The box's control socket.
  package var socket: String
  /// How it stands while it has not said otherwise, such as `listens at 127.0.0.1:6600`.
  package var standing: String

  /// An order.
  package init(name: String, words: [String], password: String?, socket: String, standing: String) {
    self.name = name
    self.words = words
    self.password = password
    self.socket = socket
    self.standing = standing
  }
}
