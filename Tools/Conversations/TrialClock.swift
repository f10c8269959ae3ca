// Time that only a trial moves on, and real descriptors that are looked at but never waited for. One thread.

import CLinux
import Platform

/// A scheduler over simulated time whose descriptors are the kernel's: those of the engine's sockets.
final class TrialClock: Scheduler {
  private struct Watch {
    let descriptor: Int32
    let token: ScheduleToken
    let handler: () -> Void
  }

  /// Simulated nanoseconds.
  private(set) var now: UInt64 = 1_000_000_000
  private var timers = TimerQueue()
  private var watches: [Watch] = []
  private var nextToken: UInt64 = 1

  /// How many timers and watches there are.
  var population: Int { timers.count + watches.count }

  /// When the first timer is due; nil where there is none.
  var due: UInt64? { timers.nextDeadline }

  /// Moves the time on.
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

  /// Calls what is due now; never waits.
  func turn(waits: Bool) { _ = work() }

  /// Calls what is due now. Whether there was anything.
  func work() -> Bool {
    var worked = false
    for watch in watches where Self.isReadable(watch.descriptor) {
      // A handler before this one may have removed it.
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

  /// The number that the next descriptor gets.
  static var lowestDescriptor: Int32? { (try? WakeUp())?.descriptor }

  private static func isReadable(_ descriptor: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&entry, 1, 0) > 0
  }
}
