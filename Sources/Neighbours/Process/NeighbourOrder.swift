// What a neighbour is started with. A value; any thread.

import Platform

/// What a neighbour is started with.
package struct NeighbourOrder: Hashable, Sendable {
  /// Which neighbour: `mpd`.
  package var name: String
  /// Where it listens.
  package var address: NetworkAddress
  /// What its clients have to say first; nil: nothing.
  package var password: String?
  /// The box's control socket.
  package var socket: String

  /// An order.
  package init(name: String, address: NetworkAddress, password: String?, socket: String) {
    self.name = name
    self.address = address
    self.password = password
    self.socket = socket
  }
}
