// Event source that the simulation signals. One thread.

import Platform

/// Descriptor that becomes readable when the simulation calls `signal()`.
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
