// Whoever has started the box and wants to know that it is up, well, or going. Control thread; never waits.

import Platform

/// The service manager's ear. Class-bound, for Embedded Swift.
public protocol ServiceManager: AnyObject {
  /// How often it wants a sign of life, in nanoseconds; nil where it wants none.
  var watchdogInterval: UInt64? { get }
  /// The box takes commands.
  func notifyReady()
  /// A sign of life.
  func notifyAlive()
  /// The box ends because it was asked to.
  func notifyStopping()
}

/// systemd, where there is one (sd_notify(3)): plain datagrams.
public final class SystemdNotifier: ServiceManager {
  private let socket: DatagramSender?
  /// Half of the time within which systemd wants a sign of life.
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

  public func notifyReady() { send("READY=1") }
  public func notifyAlive() { send("WATCHDOG=1") }
  public func notifyStopping() { send("STOPPING=1") }

  private func send(_ text: String) {
    if socket != nil { _ = socket?.send(text) }
  }
}
