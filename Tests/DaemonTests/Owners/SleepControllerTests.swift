// The sleep timer in isolation. Test threads.

import Console
import PlaybackModel
import Testing

@testable import Daemon

@Suite struct SleepControllerTests {
  private let machine = SimulatedMachine(Bench.storage())

  @Test func itFiresOnceAndTellsSo() {
    let feed = EventFeed(machine.clock)
    var told: [SleepPlan?] = []
    let subscription = feed.listen { if case .sleep(let plan) = $0.event { told.append(plan) } }
    var fired: [UInt64] = []
    let sleep = SleepController(
      machine.clock, feed: feed, log: Log(machine), player: { nil },
      onFire: { fired.append(machine.clock.now) })
    #expect(sleep.perform(nil) == .ok("no sleep timer") && sleep.rest == nil)
    #expect(sleep.perform(.after(minutes: 10)) == .ok("stops in 10 min"))
    #expect(sleep.rest == 600_000_000_000)
    let begun = machine.clock.now
    machine.clock.run(seconds: 700)
    #expect(fired == [begun + 600_000_000_000] && sleep.rest == nil)
    #expect(told == [.timer(600_000_000_000), nil])
    withExtendedLifetime(subscription) {}
  }

  @Test func itCanBeCalledOff() {
    let feed = EventFeed(machine.clock)
    let sleep = SleepController(
      machine.clock, feed: feed, log: Log(machine), player: { nil },
      onFire: { Issue.record("the timer was called off") })
    sleep.start(after: Seconds(5))
    #expect(sleep.perform(.off) == .ok("no sleep timer"))
    machine.clock.run(seconds: 60)
  }
}
