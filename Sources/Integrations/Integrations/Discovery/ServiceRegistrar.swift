// Whoever announces services in the local network: Avahi, or what stands for it in tests. The integration's one thread; never waits.

/// A service that is announced.
package struct AnnouncedService: Hashable, Sendable {
  /// What people see.
  package var name: String
  /// Such as `_mpd._tcp`.
  package let type: String
  /// Where it listens.
  package let port: UInt16
  /// Whether it is reached by IPv4 alone.
  package let isIPv4Only: Bool

  /// A service.
  package init(name: String, type: String, port: UInt16, isIPv4Only: Bool) {
    self.name = name
    self.type = type
    self.port = port
    self.isIPv4Only = isIPv4Only
  }
}

/// What becomes of an announcement.
package enum RegistrarEvent: Hashable, Sendable {
  /// It can be announced now, and has to be: nothing is announced any more of what was before.
  case ready
  /// The machine's own name is being settled; `ready` follows.
  case settling
  /// There is no daemon yet; `ready` follows once there is.
  case waiting
  /// It is announced.
  case established
  /// Something else in the network has that name.
  case collision
  /// It is over, for this reason; only another connection helps.
  case lost(String)
}

/// Announces one service. Class-bound, for Embedded Swift.
package protocol ServiceRegistrar: AnyObject {
  /// Told of what happens; never from within a call.
  var onEvent: (RegistrarEvent) -> Void { get set }
  /// Looks for the daemon, anew.
  func connect()
  /// Lets it go, and what was announced with it.
  func close()
  /// Announces this instead of what was announced.
  func announce(_ service: AnnouncedService)
  /// Announces nothing.
  func withdraw()
  /// The next name to try after one that something else has.
  func alternative(to name: String) -> String
}
