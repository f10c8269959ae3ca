// The interface for announcing services by mDNS, implemented by Avahi and by tests. The integration's single thread;
// never blocks.

/// A service to be announced.
package struct AnnouncedService: Hashable, Sendable {
  /// The name shown to users.
  package var name: String
  /// The service type, such as `_mpd._tcp`.
  package let type: String
  /// The TCP port.
  package let port: UInt16
  /// Whether to announce the service for IPv4 only.
  package let isIPv4Only: Bool

  /// Creates a service description.
  package init(name: String, type: String, port: UInt16, isIPv4Only: Bool) {
    self.name = name
    self.type = type
    self.port = port
    self.isIPv4Only = isIPv4Only
  }
}

/// An event of a registrar.
package enum RegistrarEvent: Hashable, Sendable {
  /// The service must be announced now; earlier announcements are void.
  case ready
  /// The host name is being registered; `ready` follows.
  case settling
  /// The daemon is not running; `ready` follows once it is.
  case waiting
  /// The service is announced.
  case established
  /// The name is used by another service in the network.
  case collision
  /// The connection has failed, with the reason; a new `connect` is required.
  case lost(String)
}

/// Announces one service. Class-bound for Embedded Swift.
package protocol ServiceRegistrar: AnyObject {
  /// Receives events; never called from within a method of the registrar.
  var onEvent: (RegistrarEvent) -> Void { get set }
  /// Connects to the daemon, closing a previous connection.
  func connect()
  /// Closes the connection and withdraws the announcement.
  func close()
  /// Announces a service, replacing the present one.
  func announce(_ service: AnnouncedService)
  /// Withdraws the announcement.
  func withdraw()
  /// The next name to try after a collision.
  func alternative(to name: String) -> String
}
