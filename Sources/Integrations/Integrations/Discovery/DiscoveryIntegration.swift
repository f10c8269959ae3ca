// Keeps a service announced: under another name where something has it, and again after the daemon has come back. One thread; never waits.

import Platform

/// A box that lets itself be found.
package final class DiscoveryIntegration {
  /// Told how it stands, and whether that is trouble.
  package var onStanding: (_ text: String, _ isTrouble: Bool) -> Void = { _, _ in }

  /// Names that are tried one after another.
  private static let maxNames = 100
  /// Nanoseconds after which names are tried from the first on once more.
  private static let pause: UInt64 = 300_000_000_000

  private let registrar: any ServiceRegistrar
  private let wanted: AnnouncedService
  private var service: AnnouncedService
  private var names = 1
  private let retry: DeadlineTimer
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private let scheduler: any Scheduler

  /// Announces a service by `registrar`, which outlives this.
  package init(_ registrar: any ServiceRegistrar, _ service: AnnouncedService, scheduler: any Scheduler) {
    self.registrar = registrar
    self.scheduler = scheduler
    wanted = service
    self.service = service
    retry = DeadlineTimer(scheduler)
    registrar.onEvent = { [unowned(unsafe) self] in take($0) }
  }

  /// Begins.
  package func start() { registrar.connect() }

  /// Takes back what is announced.
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

  /// With the name that is wanted: whoever had it may be gone.
  private func begin() {
    retry.stop()
    service = wanted
    names = 1
    registrar.announce(service)
  }
}
