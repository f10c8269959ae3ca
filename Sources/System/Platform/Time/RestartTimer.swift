// When a process that has ended is started again. One thread, the scheduler's.

/// Starts a process again, each time after a longer wait, up to a minute, until it has run steadily.
package final class RestartTimer {
  /// One that has run for so long has not ended for what it was started with.
  package static let steadyNanoseconds: UInt64 = 30_000_000_000

  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private var startedAt: UInt64?

  /// A timer that does not run yet.
  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
  }

  /// Seconds until it is started again, rounded up; nil while that is not due.
  package var secondsLeft: Int? { timer.secondsLeft }

  /// Whether it has run for so long that whatever ends it now is something new.
  package var isSteady: Bool { startedAt.map { scheduler.now - $0 >= Self.steadyNanoseconds } ?? false }

  /// It has been started.
  package func noteStart() { startedAt = scheduler.now }

  /// It has ended, or could not be started: `start` is called when it is to be tried again. The seconds until then, rounded up.
  package func again(_ start: @escaping () -> Void) -> Int {
    if isSteady { backOff.reset() }
    startedAt = nil
    timer.start(after: backOff.next(at: scheduler.now), start)
    return timer.secondsLeft ?? 0
  }

  /// It is not to be started again; the next wait is the first.
  package func reset() {
    timer.stop()
    backOff.reset()
    startedAt = nil
  }
}
