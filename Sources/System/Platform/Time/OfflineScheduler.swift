// Time that somebody counts: a recording's clock moves with the frames that are rendered and with nothing else, so that
// the same input gives the same recording. Control thread only.

/// A scheduler whose owner moves its time; descriptors are watched by a real one.
package final class OfflineScheduler: Scheduler {
  package private(set) var now: UInt64 = 0
  private let real: any Scheduler
  private var timers = TimerQueue()
  private var nextToken: UInt64 = 1 << 63

  /// Time that stands at zero; `real` watches descriptors.
  package init(over real: any Scheduler) { self.real = real }

  /// When the next timer is due.
  package var nextDeadline: UInt64? { timers.nextDeadline }

  /// Moves the time on; never back.
  package func advance(to time: UInt64) { now = max(now, time) }

  /// Calls what is due. Whether anything was.
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
