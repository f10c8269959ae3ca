// Virtual time for offline rendering: it advances only with the rendered frames, so that the same input gives
// the same recording. Control thread only.

/// A scheduler with manually advanced time; descriptors are watched by a real scheduler.
package final class OfflineScheduler: Scheduler {
  package private(set) var now: UInt64 = 0
  private let real: any Scheduler
  private var timers = TimerQueue()
  private var nextToken: UInt64 = 1 << 63

  /// Creates a scheduler at time zero.
  ///
  /// - Parameter real: The scheduler that watches descriptors.
  package init(over real: any Scheduler) { self.real = real }

  /// The deadline of the next timer; nil if there is none.
  package var nextDeadline: UInt64? { timers.nextDeadline }

  /// Advances the time; never moves it back.
  package func advance(to time: UInt64) { now = max(now, time) }

  /// Calls the handlers of all due timers.
  ///
  /// - Returns: Whether there were any.
  package func fire() -> Bool {
    let last = nextToken
    var isAny = false
    while let handler = timers.takeDue(at: now, before: last) {
      handler()
      isAny = true
    }
    return isAny
  }

  package func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken {
    let token = ScheduleToken(nextToken)
    nextToken += 1
    timers.add(token, after: nanoseconds, from: now, handler)
    return token
  }

  package func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError)
    -> ScheduleToken
  {
    try real.add(readable: descriptor, handler)
  }

  package func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError)
    -> ScheduleToken
  {
    try real.add(writable: descriptor, handler)
  }

  package func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError)
    -> ScheduleToken
  {
    try real.add(changing: descriptor, handler)
  }

  package func remove(_ token: ScheduleToken) {
    if !timers.remove(token) { real.remove(token) }
  }

  package func turn(waits: Bool) {
    real.turn(waits: waits && timers.count == 0)
    _ = fire()
  }
}
