// The clock of recordings, which advances with the rendered frames. Test threads.

import Platform
import Testing

@Suite struct OfflineSchedulerTests {
  @Test func timersFireInTheirOrderAndThoseOfOneMomentAsTheyCame() throws {
    let scheduler = OfflineScheduler(over: try EventLoop())
    var calls: [Int] = []
    for (number, time) in [30, 10, 20, 10, 30, 10].enumerated() {
      _ = scheduler.after(UInt64(time)) { calls.append(number) }
    }
    #expect(scheduler.nextDeadline == 10)
    scheduler.advance(to: 25)
    #expect(scheduler.fire())
    #expect(calls == [1, 3, 5, 2])
    #expect(!scheduler.fire())
    scheduler.advance(to: 30)
    #expect(scheduler.fire())
    #expect(calls == [1, 3, 5, 2, 0, 4] && scheduler.nextDeadline == nil)
  }

  @Test func realTimeMeansNothing() throws {
    let scheduler = OfflineScheduler(over: try EventLoop())
    var fired = 0
    let timer = DeadlineTimer(scheduler)
    timer.start(after: 1) { fired += 1 }
    for _ in 0..<3 { scheduler.turn(waits: false) }
    #expect(fired == 0 && scheduler.now == 0)
    scheduler.advance(to: 1)
    scheduler.turn(waits: false)
    #expect(fired == 1)
    // The clock never goes back.
    scheduler.advance(to: 0)
    #expect(scheduler.now == 1)
  }

  @Test func whatIsStartedByATimerWaitsForTheNextRound() throws {
    let scheduler = OfflineScheduler(over: try EventLoop())
    var calls: [String] = []
    _ = scheduler.after(0) {
      calls.append("first")
      _ = scheduler.after(0) { calls.append("second") }
    }
    #expect(scheduler.fire() && calls == ["first"])
    #expect(scheduler.fire() && calls == ["first", "second"])
  }
}
