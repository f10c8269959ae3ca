// A clock that moves when there is nothing left to do, and descriptors that only it knows. One thread.

import Platform

final class SimulatedScheduler: Scheduler {
  private struct Timer {
    let order: UInt64
    let deadline: UInt64
    let action: () -> Void
  }

  private struct Source {
    let order: UInt64
    let descriptor: Int32
    let handler: () -> Void
  }

  private(set) var now: UInt64 = 1_000_000_000_000
  private var timers: [ScheduleToken: Timer] = [:]
  private var sources: [ScheduleToken: Source] = [:]
  private var ready: Set<Int32> = []
  private var order: UInt64 = 0
  private var nextDescriptor: Int32 = 1000

  /// A number for something that has news.
  func makeDescriptor() -> Int32 {
    defer { nextDescriptor += 1 }
    return nextDescriptor
  }

  func set(_ descriptor: Int32, isReady: Bool) {
    if isReady { ready.insert(descriptor) } else { ready.remove(descriptor) }
  }

  func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken {
    order += 1
    timers[ScheduleToken(order)] = Timer(order: order, deadline: now + nanoseconds, action: handler)
    return ScheduleToken(order)
  }

  func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    order += 1
    sources[ScheduleToken(order)] = Source(order: order, descriptor: descriptor, handler: handler)
    return ScheduleToken(order)
  }

  func add(writable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    try add(readable: descriptor, handler)
  }

  func add(changing descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    try add(readable: descriptor, handler)
  }

  func remove(_ token: ScheduleToken) {
    timers[token] = nil
    sources[token] = nil
  }

  func turn(waits: Bool) {
    for (token, source) in sources.sorted(by: { $0.value.order < $1.value.order })
    where sources[token] != nil && ready.contains(source.descriptor) {
      source.handler()
    }
    if waits, !isAnyReady, let next = timers.values.map(\.deadline).min() { now = max(now, next) }
    while let (token, timer) = timers.filter({ $0.value.deadline <= now })
      .min(by: { ($0.value.deadline, $0.value.order) < ($1.value.deadline, $1.value.order) })
    {
      remove(token)
      timer.action()
      // What it has caused comes first.
      if isAnyReady { return }
    }
  }

  private var isAnyReady: Bool { sources.values.contains { ready.contains($0.descriptor) } }

  /// Lets so much time pass.
  func run(seconds: Double) {
    var isOver = false
    let token = after(UInt64(seconds * 1e9)) { isOver = true }
    while !isOver { turn(waits: true) }
    remove(token)
  }

  /// Lets time pass until something holds, an hour at most.
  func run(until condition: () -> Bool) -> Bool {
    var isOver = false
    let token = after(3600_000_000_000) { isOver = true }
    while !isOver, !condition() { turn(waits: true) }
    remove(token)
    return condition()
  }

  /// The power is gone: nothing happens any more.
  func stop() {
    timers = [:]
    sources = [:]
  }
}

/// Something that happens when a test says so.
final class SimulatedSource: EventSource, @unchecked Sendable {
  let descriptor: Int32
  private unowned let scheduler: SimulatedScheduler

  init(_ scheduler: SimulatedScheduler) {
    self.scheduler = scheduler
    descriptor = scheduler.makeDescriptor()
  }

  func signal() { scheduler.set(descriptor, isReady: true) }
  func clear() { scheduler.set(descriptor, isReady: false) }
}
