// Schedules restarts of a process that has ended. One thread, the scheduler's.

/// Restarts a process with a backoff of up to a minute, which is reset once the process has run steadily.
package final class RestartTimer {
  /// A process that has run for this time counts as steady: its end is unrelated to its start.
  package static let steadyNanoseconds: UInt64 = 30_000_000_000

  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
  private var startedAt: UInt64?

  /// Creates a stopped timer.
  package init(_ scheduler: any Scheduler) {
    self.scheduler = scheduler
    timer = DeadlineTimer(scheduler)
  }

  /// Seconds until the restart, rounded up; nil if none is scheduled.
  package var secondsLeft: Int? { timer.secondsLeft }

  /// Whether the process has run for long enough to count as steady.
  package var isSteady: Bool { startedAt.map { scheduler.now - $0 >= Self.steadyNanoseconds } ?? false }

  /// Records that the process was started.
  package func noteStart() { startedAt = scheduler.now }

  /// Schedules a restart after the process has ended or could not be started.
  ///
  /// - Parameter start: Called when it is time to start the process.
  /// - Returns: Seconds until then, rounded up.
  package func again(_ start: @escaping () -> Void) -> Int {
    if isSteady { backOff.reset() }
    startedAt = nil
    timer.start(after: backOff.next(at: scheduler.now), start)
    return timer.secondsLeft ?? 0
  }

  /// Cancels a scheduled restart and resets the backoff.
  package func reset() {
    timer.stop()
    backOff.reset()
    startedAt = nil
  }
}
