// Time and waiting that only the simulation moves on. One thread; makes no system call.

import Platform

/// A scheduler over simulated time, with descriptors that are numbers and nothing else. What is due at the same time
/// is called in the order in which it was added.
package final class SimulatedScheduler: Scheduler, @unchecked Sendable {
  private struct Watch {
    let descriptor: Int32
    let token: ScheduleToken
    let handler: () -> Void
  }

  /// Simulated nanoseconds.
  package private(set) var now: UInt64
  /// How many descriptors are allocated.
  package private(set) var openDescriptors = 0
  private var timers = TimerQueue()
  private var watches: [Watch] = []
  /// When each descriptor became readable; nil where it is not.
  private var signalled: [UInt64?] = []
  private var freeDescriptors: [Int32] = []
  private var signalCount = 0
  private var nextSerial: UInt64 = 1

  /// A scheduler that begins at a time.
  package init(now: UInt64 = 1_000_000_000) { self.now = now }

  /// How many timers and watches there are.
  package var population: Int { timers.count + watches.count }

  /// Moves the time on.
  package func advance(to time: UInt64) {
    precondition(time >= now, "time does not run backwards")
    now = time
  }

  /// The supply is gone: nobody waits for anything any more.
  package func reset() {
    // What goes with them may remove others.
    let (timers, watches) = (timers, watches)
    self.timers = TimerQueue()
    self.watches = []
    withExtendedLifetime((timers, watches)) {}
  }

  // MARK: Descriptors

  /// A new descriptor that is not readable.
  package func makeDescriptor() -> Int32 {
    openDescriptors += 1
    if let descriptor = freeDescriptors.popLast() { return descriptor }
    signalled.append(nil)
    return Int32(signalled.count - 1)
  }

  /// Ends a descriptor. False if somebody watches it still, which is a fault of whoever does.
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

  /// Makes it not readable any more.
  package func clear(_ descriptor: Int32) {
    guard signalled[Int(descriptor)] != nil else { return }
    signalled[Int(descriptor)] = nil
    signalCount -= 1
  }

  /// When the first handler became due, or will; nil if none ever does by itself.
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

  /// Simulated descriptors always take more bytes; nobody has to wait for it.
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

  /// Calls what is due now. It never waits: the simulation moves the time.
  package func turn(waits: Bool) {
    if signalCount > 0 {
      for watch in watches where signalled[Int(watch.descriptor)] != nil {
        // A handler before this one may have removed it.
        guard watches.contains(where: { $0.token == watch.token }) else { continue }
        watch.handler()
      }
    }
    let last = nextSerial
    while let handler = timers.takeDue(at: now, before: last) { handler() }
  }
}
