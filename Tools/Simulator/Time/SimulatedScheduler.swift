// Scheduler over simulated time: the simulation advances the clock, and no system call is made. One thread.

import Platform

/// Scheduler over simulated time, whose file descriptors are plain numbers. Handlers due at the same time run in the
/// order in which they were added.
package final class SimulatedScheduler: Scheduler, @unchecked Sendable {
  private struct Watch {
    let descriptor: Int32
    let token: ScheduleToken
    let handler: () -> Void
  }

  /// Simulated time in nanoseconds.
  package private(set) var now: UInt64
  /// Number of descriptors in use; checked for leaks.
  package private(set) var openDescriptors = 0
  private var timers = TimerQueue()
  private var watches: [Watch] = []
  /// Per descriptor: when it became readable; nil if it is not readable.
  private var signalled: [UInt64?] = []
  private var freeDescriptors: [Int32] = []
  private var signalCount = 0
  private var nextSerial: UInt64 = 1

  /// Creates a scheduler.
  /// - Parameter now: Initial time in nanoseconds.
  package init(now: UInt64 = 1_000_000_000) { self.now = now }

  /// Number of timers and watches; checked for leaks.
  package var population: Int { timers.count + watches.count }

  /// Moves the clock forward to `time` (nanoseconds).
  package func advance(to time: UInt64) {
    precondition(time >= now, "time does not run backwards")
    now = time
  }

  /// Drops all timers and watches, as a power cut does.
  package func reset() {
    // Releasing a handler may release an object that removes other handlers, so empty the lists first.
    let (timers, watches) = (timers, watches)
    self.timers = TimerQueue()
    self.watches = []
    withExtendedLifetime((timers, watches)) {}
  }

  // MARK: Descriptors

  /// Returns a new descriptor that is not readable.
  package func makeDescriptor() -> Int32 {
    openDescriptors += 1
    if let descriptor = freeDescriptors.popLast() { return descriptor }
    signalled.append(nil)
    return Int32(signalled.count - 1)
  }

  /// Frees a descriptor.
  /// - Returns: False if it is still watched, which is a bug of the watching code.
  package func close(_ descriptor: Int32) -> Bool {
    clear(descriptor)
    openDescriptors -= 1
    freeDescriptors.append(descriptor)
    return !watches.contains { $0.descriptor == descriptor }
  }

  /// Makes a descriptor readable.
  package func signal(_ descriptor: Int32) {
    guard signalled[Int(descriptor)] == nil else { return }
    signalled[Int(descriptor)] = now
    signalCount += 1
  }

  /// Makes a descriptor unreadable again.
  package func clear(_ descriptor: Int32) {
    guard signalled[Int(descriptor)] != nil else { return }
    signalled[Int(descriptor)] = nil
    signalCount -= 1
  }

  /// Time in nanoseconds at which the first handler is or was due; nil if no timer runs and no watched descriptor is
  /// readable.
  package var due: UInt64? {
    var due = timers.nextDeadline
    guard signalCount > 0 else { return due }
    for watch in watches {
      if let since = signalled[Int(watch.descriptor)] { due = min(due ?? since, since) }
    }
    return due
  }

  // MARK: Scheduler

  private func makeToken() -> ScheduleToken {
    defer { nextSerial += 1 }
    return ScheduleToken(nextSerial)
  }

  package func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken {
    let token = makeToken()
    timers.add(token, after: nanoseconds, from: now, handler)
    return token
  }

  package func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError)
    -> ScheduleToken
  {
    let token = makeToken()
    watches.append(Watch(descriptor: descriptor, token: token, handler: handler))
    return token
  }

  /// Simulated descriptors are always writable, so this calls back when `descriptor` is signalled.
  package func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError)
    -> ScheduleToken
  { try add(readable: descriptor, handler) }

  package func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError)
    -> ScheduleToken
  { try add(readable: descriptor, handler) }

  package func remove(_ token: ScheduleToken) {
    guard !timers.remove(token), let index = watches.firstIndex(where: { $0.token == token }) else { return }
    watches.remove(at: index)
  }

  /// Calls all handlers that are due now. Never waits, whatever `waits` says: the simulation moves the clock.
  package func turn(waits: Bool) {
    if signalCount > 0 {
      for watch in watches where signalled[Int(watch.descriptor)] != nil {
        // An earlier handler may have removed this watch.
        guard watches.contains(where: { $0.token == watch.token }) else { continue }
        watch.handler()
      }
    }
    let last = nextSerial
    while let handler = timers.takeDue(at: now, before: last) { handler() }
  }
}
