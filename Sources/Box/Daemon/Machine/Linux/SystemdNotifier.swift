// Notifications to systemd by sd_notify(3). Control thread; never blocks.

import Platform

/// Sends datagrams to the service manager's socket.
package final class SystemdNotifier: ServiceManager {
  private let socket: DatagramSender?
  /// Half of systemd's watchdog timeout, in nanoseconds; nil if there is none.
  package let watchdogInterval: UInt64?

  /// Finds the socket in the environment ($NOTIFY_SOCKET); without one, notifications are discarded.
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
