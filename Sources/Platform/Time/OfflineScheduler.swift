// Time that somebody counts: a recording's clock moves with the frames that are rendered and with nothing else, so that
// the same input gives the same recording. Control thread only.

/// A scheduler whose owner moves its time; descriptors are watched by a real one.
package final class OfflineScheduler: Scheduler {
  private struct Timer {
    let deadline: UInt64
    let token: ScheduleToken
    let handler: () -> Void
  }

  package private(set) var now: UInt64 = 0
  private let real: any Scheduler
  /// By deadline; of one deadline, in the order in which they were added.
  private var timers: [Timer] = []
  private var nextToken: UInt64 = 1 << 63

  /// Time that stands at zero; `real` watches descriptors.
  package init(over real: any Scheduler) { self.real = real }

  /// When the next timer is due.
  package var nextDeadline: UInt64? { timers.first?.deadline }

  /// Moves the time on; never back.
  package func advance(to time: UInt64) { now = max(now, time) }

  /// Calls what is due. Whether anything was.
  package func fire() -> Bool {
    let last = nextToken
    var isAny = false
    while let first = timers.first(where: { $0.token.value < last }), first.deadline <= now {
      remove(first.token)
      first.handler()
      isAny = true
    }
    return isAny
  }

  package func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken {
    let token = ScheduleToken(nextToken)
    nextToken += 1
    let deadline = now &+ nanoseconds
    var place = timers.count
    while place > 0, timers[place - 1].deadline > deadline { place -= 1 }
    timers.insert(Timer(deadline: deadline, token: token, handler: handler), at: place)
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
    if let place = timers.firstIndex(where: { $0.token == token }) {
      timers.remove(at: place)
    } else {
      real.remove(token)
    }
  }

  package func turn(waits: Bool) {
    real.turn(waits: waits && timers.isEmpty)
    _ = fire()
  }
}
