// Schedules retries of missing devices with a backoff. Control thread only.

import Platform

/// A retry timer with growing waits, up to a minute; stopped while nothing is missing.
final class RetryTimer {
  private static let maxLength: UInt64 = 60_000_000_000

  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private let action: () -> Void
  private var backOff = BackOff(first: 500_000_000, longest: RetryTimer.maxLength)
  /// The wait before the next retry, once it has been chosen.
  private var wait: UInt64?
  private var isHurried = false
  private var last: UInt64?

  /// Creates a timer.
  ///
  /// - Parameters:
  ///   - scheduler: The clock and event loop.
  ///   - action: The retry. It may capture this timer's owner `unowned(unsafe)`.
  init(_ scheduler: any Scheduler, _ action: @escaping () -> Void) {
    self.scheduler = scheduler
    self.action = action
    timer = DeadlineTimer(scheduler)
  }

  /// Schedules the next retry, unless one is already scheduled.
  func schedule() {
    guard !timer.isRunning else { return }
    let wait = wait ?? backOff.next(at: scheduler.now)
    self.wait = wait
    start(after: wait)
  }

  /// Schedules a retry after a device was lost. Starts again from the shortest wait, unless a retry ran
  /// within the last minute, so that a flapping device is retried less and less often.
  func restart() {
    guard !isHurried else { return }
    cancel()
    if last.map({ scheduler.now - $0 > Self.maxLength }) ?? true {
      backOff.reset()
      wait = nil
    }
    schedule()
  }

  /// Retries soon, because devices have changed. Several changes in a row cause one retry.
  func hurry(_ nanoseconds: UInt64) {
    isHurried = true
    start(after: nanoseconds)
  }

  /// Stops the timer because nothing is missing, except for a hurried retry.
  func rest() {
    if !isHurried { cancel() }
  }

  /// Stops the timer.
  func cancel() {
    timer.stop()
    isHurried = false
  }

  private func start(after nanoseconds: UInt64) {
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in
      isHurried = false
      let now = scheduler.now
      if wait == nil { _ = backOff.next(at: now) }
      wait = nil
      last = now
      action()
    }
  }
}
