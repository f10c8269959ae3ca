// Timers and watches with an owner, and growing delays. Test threads.

import Platform
import Testing

/// A clock that the test advances, with descriptors that it makes ready.
final class HandClock: Scheduler {
  private(set) var now: UInt64 = 1000
  private var order: UInt64 = 0
  private var timers: [ScheduleToken: (deadline: UInt64, handler: () -> Void)] = [:]
  private(set) var watched: [ScheduleToken: (descriptor: Int32, handler: () -> Void)] = [:]

  var timerCount: Int { timers.count }

  func after(_ nanoseconds: UInt64, _ handler: @escaping () -> Void) -> ScheduleToken {
    order += 1
    timers[ScheduleToken(order)] = (now + nanoseconds, handler)
    return ScheduleToken(order)
  }

  func add(readable descriptor: Int32, _ handler: @escaping () -> Void) throws(SystemError) -> ScheduleToken {
    guard descriptor >= 0 else { throw SystemError("add", code: 9) }
    order += 1
    watched[ScheduleToken(order)] = (descriptor, handler)
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
    watched[token] = nil
  }

  func turn(waits: Bool) {
    for (token, timer) in timers where timer.deadline <= now {
      timers[token] = nil
      timer.handler()
    }
  }

  func pass(_ nanoseconds: UInt64, fires: Bool = true) {
    now += nanoseconds
    if fires { turn(waits: false) }
  }

  func ring(_ descriptor: Int32) {
    for entry in watched.values where entry.descriptor == descriptor { entry.handler() }
  }
}

/// A typical owner of a timer.
private final class Owner {
  private let timer: DeadlineTimer
  private let count: () -> Void

  init(_ scheduler: any Scheduler, _ count: @escaping () -> Void) {
    timer = DeadlineTimer(scheduler)
    self.count = count
    timer.start(after: 10) { [unowned(unsafe) self] in self.count() }
  }
}

@Suite struct TimerTests {
  @Test func aTimerFiresOnceAndCanBeStartedAgain() {
    let clock = HandClock()
    let timer = DeadlineTimer(clock)
    var fired = 0
    timer.start(after: 10) { fired += 1 }
    #expect(timer.isRunning && timer.deadline == 1010)
    clock.pass(9)
    #expect(fired == 0)
    clock.pass(1)
    #expect(fired == 1 && !timer.isRunning && timer.deadline == nil)
    clock.pass(100)
    #expect(fired == 1)
    timer.start(after: 5) { fired += 10 }
    clock.pass(5)
    #expect(fired == 11)
  }

  @Test func startingReplacesTheFormerStart() {
    let clock = HandClock()
    let timer = DeadlineTimer(clock)
    var calls: [String] = []
    timer.start(after: 10) { calls.append("former") }
    timer.start(at: 1020) { calls.append("latter") }
    #expect(clock.timerCount == 1 && timer.deadline == 1020)
    clock.pass(50)
    #expect(calls == ["latter"])
    // A time in the past.
    timer.start(at: 3) { calls.append("late") }
    clock.pass(0)
    #expect(calls == ["latter", "late"])
  }

  @Test func aTimerMayBeStartedFromItsOwnAction() {
    let clock = HandClock()
    let timer = DeadlineTimer(clock)
    var fired = 0
    func again() {
      fired += 1
      if fired < 3 { timer.start(after: 10, again) }
    }
    timer.start(after: 10, again)
    for _ in 0..<10 { clock.pass(10) }
    #expect(fired == 3 && clock.timerCount == 0)
  }

  @Test func aTimerGoesWithItsOwner() {
    let clock = HandClock()
    var fired = 0
    var owner: Owner? = Owner(clock) { fired += 1 }
    #expect(clock.timerCount == 1)
    _ = owner
    owner = nil
    #expect(clock.timerCount == 0)
    clock.pass(100)
    #expect(fired == 0)
  }

  @Test func aWatchGoesWithItsOwner() throws {
    let clock = HandClock()
    var rings = 0
    var watch: DescriptorWatch? = try DescriptorWatch(clock, readable: 7) { rings += 1 }
    clock.ring(7)
    #expect(rings == 1 && watch != nil)
    watch = nil
    clock.ring(7)
    #expect(rings == 1 && clock.watched.isEmpty)
    #expect(throws: SystemError.self) { try DescriptorWatch(clock, writable: -1) {} }
  }

  @Test func aWatchMayBeLetGoInItsOwnHandler() throws {
    let loop = try EventLoop()
    let wake = try WakeUp()
    var watch: DescriptorWatch?
    var rings = 0
    watch = try DescriptorWatch(loop, readable: wake.descriptor) {
      rings += 1
      watch = nil
    }
    wake.signal()
    loop.turn(waits: true)
    loop.turn(waits: false)
    #expect(rings == 1 && watch == nil)
  }
}

@Suite struct BackOffTests {
  @Test func waitsDoubleUpToTheLongest() {
    var backOff = BackOff(first: 1000, longest: 60_000)
    for time in [0, 17, 1 << 40] as [UInt64] {
      backOff.reset()
      for whole in [1000, 2000, 4000, 8000, 16_000, 32_000, 60_000, 60_000] as [UInt64] {
        let wait = backOff.next(at: time)
        #expect(wait <= whole && wait >= whole - whole / 8)
      }
    }
    #expect(backOff.tries == 8)
  }

  @Test func boxesThatWereSwitchedOnTogetherDoNotKnockTogether() {
    var waits: Set<UInt64> = []
    for time in 0..<100 {
      var backOff = BackOff(first: 1_000_000_000, longest: 60_000_000_000)
      waits.insert(backOff.next(at: UInt64(time)))
    }
    #expect(waits.count == 100)
  }

  @Test func theSameTimeGivesTheSameWait() {
    var (one, other) = (BackOff(first: 500, longest: 900), BackOff(first: 500, longest: 900))
    #expect((0..<80).allSatisfy { one.next(at: $0) == other.next(at: $0) })
  }

  @Test func noWaitIsTooLongForTheArithmetic() {
    var backOff = BackOff(first: 1, longest: .max)
    for _ in 0..<200 { #expect(backOff.next(at: .max) > 0) }
  }
}
