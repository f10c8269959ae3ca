// When a box may be updated: hours, music, alarms. Test threads.

import Console
import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct UpdateWindowTests {
  private func bench(_ lines: String = "", at minute: Int) throws -> Bench {
    let bench = try Bench(Bench.storage("set updates.automatic on\n" + lines))
    bench.machine.minuteOfDay = minute
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 2)
    return bench
  }

  /// All minutes of the day, for windows that start at several times, also across midnight.
  @Test(arguments: [0, 210, 1380, 1439]) func twoHoursOfADayAreDue(begin: Int) throws {
    var settings = Settings()
    try settings.set("updates.automatic", "on")
    try settings.set("updates.time", LocalTime.clock(begin))
    let due = (0..<1440).filter {
      UpdateWindow(settings, atMinute: $0, isPlaying: false, alarm: nil) == .due
    }
    #expect(due == (0..<120).map { (begin + $0) % 1440 }.sorted())
    for minute in Set(0..<1440).subtracting(due) {
      #expect(UpdateWindow(settings, atMinute: minute, isPlaying: true, alarm: 0) == .later(begin))
    }
  }

  @Test(
    arguments: [(nil, "due"), (61, "due"), (60, "after the alarm"), (0, "after the alarm")]
      as [(Int?, String)])
  func anAlarmWithinAnHourComesFirst(minutes: Int?, text: String) throws {
    var settings = Settings()
    #expect(UpdateWindow(settings, atMinute: 210, isPlaying: false, alarm: minutes) == nil)
    try settings.set("updates.automatic", "on")
    #expect(UpdateWindow(settings, atMinute: 210, isPlaying: false, alarm: minutes)?.text == text)
    if text == "due" {
      #expect(
        UpdateWindow(settings, atMinute: 210, isPlaying: true, alarm: minutes)?.text == "when nothing plays")
    }
  }

  @Test func aBoxIsDueOnlyAtItsTime() throws {
    let bench = try bench(at: 209)
    #expect(bench.status("updates") == "at 03:30")
    bench.clock.run(seconds: 60)
    #expect(bench.status("updates") == "due")
    _ = bench.ask("set updates.automatic off")
    #expect(bench.status("updates") == nil && bench.status("update-result") == nil)
  }

  @Test func musicAndAnnouncementsComeFirst() throws {
    let bench = try bench(at: 220)
    #expect(bench.status("updates") == "due")
    _ = bench.ask("play long")
    #expect(bench.status("updates") == "when nothing plays")
    bench.clock.run(seconds: 2)
    #expect(bench.status("updates") == "when nothing plays")
    _ = bench.ask("pause")
    bench.clock.run(seconds: 2)
    #expect(bench.status("updates") == "due")
    _ = bench.ask("announce long")
    bench.clock.run(seconds: 2)
    #expect(bench.status("announcement") != nil && bench.status("updates") == "when nothing plays")
  }

  /// A restart by an update plays no cue and does not count as a power-on.
  @Test(arguments: [false, true]) func aStartByAnUpdateIsSilent(isBeingUpdated: Bool) throws {
    let bench = try Bench(Bench.storage("set cues.enabled on\n"), isBeingUpdated: isBeingUpdated)
    bench.clock.run(seconds: 5)
    let heard = bench.machine.card?.heard ?? 0
    #expect(isBeingUpdated == (heard == 0))
    let count = bench.status("power-ons", of: "stats")
    #expect(count == (isBeingUpdated ? "0" : "1"))
  }

  /// The result of the last update is shown, also while updates are off.
  @Test func whatCameOfTheLastOneIsShown() throws {
    let bench = try Bench()
    #expect(bench.status("update-result") == nil)
    bench.machine.updateResult = "2026-11-29 03:31 Swiftlet 1.3 is installed and works"
    #expect(bench.status("update-result") == "2026-11-29 03:31 Swiftlet 1.3 is installed and works")
  }

  /// An alarm blocks updates shortly before it, while it rings or is snoozed, and shortly after it.
  @Test func alarmsComeFirst() throws {
    let bench = try bench(at: 215)
    _ = bench.ask("alarm 05:00 daily play long")
    #expect(bench.status("updates") == "due")
    bench.machine.minuteOfDay = 239
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 1)
    #expect(bench.status("updates") == "due")
    bench.clock.run(seconds: 60)
    #expect(bench.status("updates") == "after the alarm")
    bench.clock.run(seconds: 3600)
    #expect(bench.status("alarm")?.hasPrefix("rings") == true && bench.status("updates") == "after the alarm")
    _ = bench.ask("snooze")
    bench.clock.run(seconds: 2)
    #expect(
      bench.status("alarm")?.hasPrefix("snoozed") == true && bench.status("updates") == "after the alarm")
    _ = bench.ask("alarm stop")
    bench.clock.run(seconds: 2)
    #expect(bench.status("alarm") == nil && bench.status("updates") == "due")
  }
}
