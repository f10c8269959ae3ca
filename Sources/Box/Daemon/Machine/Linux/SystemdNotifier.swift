// Tells systemd, where there is one, that the box is up, well, or going. Control thread; never waits.

import Platform

/// The service manager's socket (sd_notify(3)): plain datagrams.
package final class SystemdNotifier: ServiceManager {
  private let socket: DatagramSender?
  /// Half of the time within which systemd wants a sign of life.
  package let watchdogInterval: UInt64?

  /// Looks for a service manager in the environment; without one all messages go nowhere.
  package init() {
    if let path = Environment.value("NOTIFY_SOCKET") {
      socket = try? DatagramSender(path: path)
    } else {
      socket = nil
    }
    let microseconds = Environment.value("WATCHDOG_USEC").flatMap { UInt64($0) }
    watchdogInterval = microseconds.map { $0 * 500 }
  }

  package func notifyReady() { send("READY=1") }
  package func notifyAlive() { send("WATCHDOG=1") }
  package func notifyStopping() { send("STOPPING=1") }

  private func send(_ text: String) {
    if socket != nil { _ = socket?.send(text) }
  }
}
