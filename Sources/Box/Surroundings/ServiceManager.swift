// Tells systemd, where there is one, that the box is up, well, or going (sd_notify(3)): plain datagrams.
// Control thread; never waits.

import Platform

/// The service manager's ear.
public final class ServiceManager {
  private let socket: DatagramSender?
  /// Half of the time within which systemd wants a sign of life; nil where it wants none.
  public let watchdogInterval: UInt64?

  /// Looks for a service manager in the environment; without one all messages go nowhere.
  public init() {
    if let path = Environment.value("NOTIFY_SOCKET") {
      socket = try? DatagramSender(path: path)
    } else {
      socket = nil
    }
    let microseconds = Environment.value("WATCHDOG_USEC").flatMap { UInt64($0) }
    watchdogInterval = microseconds.map { $0 * 500 }
  }

  /// The box takes commands.
  public func isReady() { send("READY=1") }
  /// A sign of life.
  public func isAlive() { send("WATCHDOG=1") }
  /// The box ends because it was asked to.
  public func isStopping() { send("STOPPING=1") }
  /// One line for `systemctl status`.
  public func shows(_ status: String) { send("STATUS=" + status) }

  private func send(_ text: String) {
    if socket != nil { _ = socket?.send(text) }
  }
}
