// Neighbours as a machine starts them: processes of their own, which speak with the network and give commands on the control socket.
// Control thread only; never waits.

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

/// A neighbour at work. When this object goes, its process goes. Class-bound, for Embedded Swift.
package protocol NeighbourProcess: AnyObject {
  /// For a scheduler: readable when it has ended.
  var descriptor: Int32 { get }
  /// Why it has ended, in a few words; nil while it runs.
  func ending() -> String?
}
