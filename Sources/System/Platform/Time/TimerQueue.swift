// Timers of a time that somebody moves on by hand: a recording's, a simulation's. Whichever thread owns the scheduler; no clock.

/// Timers by deadline; of one deadline, in the order in which they were added.
package struct TimerQueue {
  private struct Timer {
    let deadline: UInt64
    let token: ScheduleToken
    let handler: () -> Void
  }

  private var timers: [Timer] = []

  /// No timer.
  package init() {}

  /// How many timers there are.
  package var count: Int { timers.count }

  /// When the first timer is due; nil where there is none.
  package var nextDeadline: UInt64? { timers.first?.deadline }

  /// Adds a timer. One beyond all times never comes.
  ///
  /// - Parameters:
  ///   - token: Its name, greater than those of all that were added before.
  ///   - nanoseconds: How long after `now` it is due.
  package mutating func add(
    _ token: ScheduleToken, after nanoseconds: UInt64, from now: UInt64, _ handler: @escaping () -> Void
  ) {
    let (sum, overflows) = now.addingReportingOverflow(nanoseconds)
    let deadline = overflows ? UInt64.max : sum
    var place = timers.count
    while place > 0, timers[place - 1].deadline > deadline { place -= 1 }
    timers.insert(Timer(deadline: deadline, token: token, handler: handler), at: place)
  }

  /// Takes a timer away. Whether there was one of that name.
  package mutating func remove(_ token: ScheduleToken) -> Bool {
    guard let place = timers.firstIndex(where: { $0.token == token }) else { return false }
    timers.remove(at: place)
    return true
  }

  /// Takes the first timer away whose name is less than `limit`, if it is due. Those that are added meanwhile are for the next
  /// turn, so that one that adds itself does not stop the time.
  package mutating func takeDue(at now: UInt64, before limit: UInt64) -> (() -> Void)? {
    guard let place = timers.firstIndex(where: { $0.token.value < limit }), timers[place].deadline <= now
    else { return nil }
    return timers.remove(at: place).handler
  }
}
