// Watchdog pings to the service manager. Control thread.

import Platform

/// Sends the service manager's watchdog ping at its interval, which proves that the control thread still turns.
final class ServiceWatchdog {
  private let service: any ServiceManager
  private let timer: DeadlineTimer

  init(_ machine: any Machine) {
    service = machine.service
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Starts sending pings; no-op if the service manager requested none.
  func start() {
    guard let interval = service.watchdogInterval else { return }
    service.notifyAlive()
    timer.start(after: interval) { [unowned(unsafe) self] in start() }
  }

  /// Stops sending pings.
  func stop() { timer.stop() }
}
