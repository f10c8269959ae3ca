// Signs of life for the service manager. Control thread.

import Platform

/// Tells the service manager that the control thread turns, as often as it wants to know.
final class ServiceWatchdog {
  private let service: any ServiceManager
  private let timer: DeadlineTimer

  init(_ machine: any Machine) {
    service = machine.service
    timer = DeadlineTimer(machine.scheduler)
  }

  /// Begins; nothing where the service manager does not want to know.
  func start() {
    guard let interval = service.watchdogInterval else { return }
    service.notifyAlive()
    timer.start(after: interval) { [unowned(unsafe) self] in start() }
  }

  /// Gives no signs any more.
  func stop() { timer.stop() }
}
