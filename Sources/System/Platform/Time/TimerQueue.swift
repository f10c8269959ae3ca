// Timers for schedulers with manually advanced time: offline rendering and simulation. On the thread that
// owns the scheduler; no clock.

/// Timers sorted by deadline; timers of one deadline stay in the order of their addition.
package struct TimerQueue {
  private struct Timer {
    let deadline: UInt64
    let token: ScheduleToken
    let handler: () -> Void
  }

  private var timers: [Timer] = []

  /// Creates an empty queue.
  package init() {}

  /// The number of timers.
  package var count: Int { timers.count }

  /// The deadline of the first timer; nil if there is none.
  package var nextDeadline: UInt64? { timers.first?.deadline }

  /// Adds a timer. On overflow it never fires.
  ///
  /// - Parameters:
  ///   - token: Its token, greater than those of all timers added before.
  ///   - nanoseconds: The delay.
  ///   - now: The current time, in nanoseconds.
  ///   - handler: The timer's handler.
  package mutating func add(
    _ token: ScheduleToken, after nanoseconds: UInt64, from now: UInt64, _ handler: @escaping () -> Void
  ) {
    let (sum, overflows) = now.addingReportingOverflow(nanoseconds)
    let deadline = overflows ? UInt64.max : sum
    var place = timers.count
    while place > 0, timers[place - 1].deadline > deadline { place -= 1 }
    timers.insert(Timer(deadline: deadline, token: token, handler: handler), at: place)
  }

  /// Removes a timer.
  ///
  /// - Returns: Whether it existed.
  package mutating func remove(_ token: ScheduleToken) -> Bool {
    guard let place = timers.firstIndex(where: { $0.token == token }) else { return false }
    timers.remove(at: place)
    return true
  }

  /// Removes and returns the first timer whose token is less than `limit`, if it is due. Timers added while
  /// handlers run have greater tokens and wait for the next turn, so that a timer that re-adds itself cannot
  /// stop the clock.
  package mutating func takeDue(at now: UInt64, before limit: UInt64) -> (() -> Void)? {
    guard let place = timers.firstIndex(where: { $0.token.value < limit }), timers[place].deadline <= now
    else { return nil }
    return timers.remove(at: place).handler
  }
}
