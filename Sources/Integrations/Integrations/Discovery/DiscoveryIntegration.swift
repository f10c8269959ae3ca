// Keeps a service announced in the local network: picks another name on a collision and re-announces after a restart
// of avahi-daemon. Single thread; never blocks.

import Platform

/// Announces the box's service.
package final class DiscoveryIntegration {
  /// Called with the status text, and whether it describes a problem.
  package var onStanding: (_ text: String, _ isTrouble: Bool) -> Void = { _, _ in }

  /// Maximum number of alternative names to try.
  private static let maxNames = 100
  /// Nanoseconds after which the original name is tried again when all names are taken.
  private static let pause: UInt64 = 300_000_000_000

  private let registrar: any ServiceRegistrar
  private let wanted: AnnouncedService
  private var service: AnnouncedService
  private var names = 1
  private let retry: DeadlineTimer
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private let scheduler: any Scheduler

  /// Creates the integration. `registrar` must outlive it.
  package init(_ registrar: any ServiceRegistrar, _ service: AnnouncedService, scheduler: any Scheduler) {
    self.registrar = registrar
    self.scheduler = scheduler
    wanted = service
    self.service = service
    retry = DeadlineTimer(scheduler)
    registrar.onEvent = { [unowned(unsafe) self] in take($0) }
  }

  /// Connects to the registrar, which starts the announcement.
  package func start() { registrar.connect() }

  /// Withdraws the announcement.
  package func end() {
    retry.stop()
    registrar.close()
  }

  private func take(_ event: RegistrarEvent) {
    switch event {
    case .ready: begin()
    case .settling: registrar.withdraw()
    case .waiting: onStanding("waits for avahi-daemon, which does not run", true)
    case .established:
      backOff.reset()
      onStanding("announces '\(service.name)' as \(service.type), port \(service.port)", false)
    case .collision:
      guard names < Self.maxNames else {
        registrar.withdraw()
        onStanding("all of \(Self.maxNames) names like '\(wanted.name)' are taken", true)
        return retry.start(after: Self.pause) { [unowned(unsafe) self] in begin() }
      }
      names += 1
      service.name = registrar.alternative(to: service.name)
      registrar.announce(service)
    case .lost(let reason):
      registrar.close()
      onStanding("nothing is announced: \(reason)", true)
      retry.start(after: backOff.next(at: scheduler.now)) { [unowned(unsafe) self] in registrar.connect() }
    }
  }

  /// Starts with the configured name, which may have become free.
  private func begin() {
    retry.stop()
    service = wanted
    names = 1
    registrar.announce(service)
  }
}
