// Scheduler over simulated time that polls real descriptors without waiting. One thread.

import CLinux
import Platform

/// Scheduler over simulated time whose descriptors are real: the engine's sockets.
final class TrialClock: Scheduler {
  private struct Watch {
    let descriptor: Int32
    let token: ScheduleToken
    let handler: () -> Void
  }

  /// Simulated time in nanoseconds.
  private(set) var now: UInt64 = 1_000_000_000
  private var timers = TimerQueue()
  private var watches: [Watch] = []
  private var nextToken: UInt64 = 1

  /// Number of timers and watches; checked for leaks.
  var population: Int { timers.count + watches.count }

  /// When the first timer is due, in nanoseconds; nil if there is none.
  var due: UInt64? { timers.nextDeadline }

  /// Moves the clock forward.
  func advance(to time: UInt64) { now = max(now, time) }

  private func makeToken() -> ScheduleToken {
    defer { nextToken += 1 }
    return ScheduleToken(nextToken)
  }

  func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken {
    let token = makeToken()
    timers.add(token, after: nanoseconds, from: now, handler)
    return token
  }

  func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    let token = makeToken()
    watches.append(Watch(descriptor: descriptor, token: token, handler: handler))
    return token
  }

  func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    try add(readable: descriptor, handler)
  }

  func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    try add(readable: descriptor, handler)
  }

  func remove(_ token: ScheduleToken) {
    if !timers.remove(token) { watches.removeAll { $0.token == token } }
  }

  /// Calls handlers that are due; never waits.
  func turn(waits: Bool) { _ = work() }

  /// Calls handlers that are due.
  /// - Returns: Whether there were any.
  func work() -> Bool {
    var worked = false
    for watch in watches where Self.isReadable(watch.descriptor) {
      // An earlier handler may have removed this watch.
      guard watches.contains(where: { $0.token == watch.token }) else { continue }
      watch.handler()
      worked = true
    }
    let last = nextToken
    while let handler = timers.takeDue(at: now, before: last) {
      handler()
      worked = true
    }
    return worked
  }

  /// The number that the next opened descriptor gets; used to detect leaks.
  static var lowestDescriptor: Int32? { (try? WakeUp())?.descriptor }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
