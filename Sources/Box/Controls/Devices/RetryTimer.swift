// When to look again for what is not there. Control thread only.

import Platform

/// A timer that waits longer each time, and not at all while nothing is missing.
final class RetryTimer {
  private static let maxLength: UInt64 = 60_000_000_000

  private let scheduler: any Scheduler
  private let timer: DeadlineTimer
  private let action: () -> Void
  private var backOff = BackOff(first: 500_000_000, longest: RetryTimer.maxLength)
  /// The wait before the next look, once it was asked for.
  private var wait: UInt64?
  private var isHurried = false
  private var last: UInt64?

  /// Calls `action`, which may capture this timer's owner `unowned(unsafe)`.
  init(_ scheduler: any Scheduler, _ action: @escaping () -> Void) {
    self.scheduler = scheduler
    self.action = action
    timer = DeadlineTimer(scheduler)
  }

  /// Does it later, unless it is already going to be done.
  func schedule() {
    guard !timer.isRunning else { return }
    let wait = wait ?? backOff.next(at: scheduler.now)
    self.wait = wait
    start(after: wait)
  }

  /// Something has just gone: does it as soon as after the first miss, unless that was not long ago. What comes
  /// and goes all the time is looked for less and less, too.
  func restart() {
    guard !isHurried else { return }
    cancel()
    if last.map({ scheduler.now - $0 > Self.maxLength }) ?? true {
      backOff.reset()
      wait = nil
    }
    schedule()
  }

  /// Does it soon, because something has changed. Several changes in a row are one.
  func hurry(_ nanoseconds: UInt64) {
    isHurried = true
    start(after: nanoseconds)
  }

  /// Nothing is missing: does not do it, unless it was told to hurry.
  func rest() {
    if !isHurried { cancel() }
  }

  /// Does not do it.
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
