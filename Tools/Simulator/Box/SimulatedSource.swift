// Something that a simulated scheduler can wait for. One thread.

import Platform

/// A descriptor that is ready when the simulation says so.
final class SimulatedSource: EventSource, @unchecked Sendable {
  let descriptor: Int32
  private let scheduler: SimulatedScheduler

  init(_ scheduler: SimulatedScheduler) {
    self.scheduler = scheduler
    descriptor = scheduler.makeDescriptor()
  }

  deinit { _ = scheduler.close(descriptor) }

  func signal() { scheduler.signal(descriptor) }
  func clear() { scheduler.clear(descriptor) }
}
