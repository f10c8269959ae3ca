// The parental limits: daily time, quiet hours and tags only. Test threads.

import Platform
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct LimitsTests {
  /// A box at 16:00 on a Monday.
  private func bench(_ lines: String, _ storage: SimulatedStorage? = nil) throws -> Bench {
    let bench = try Bench(storage ?? Bench.storage(lines))
    set(bench, 16 * 60)
    return bench
  }

  private func set(_ bench: Bench, _ minute: Int) {
    bench.machine.minuteOfDay = minute
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 1)
  }

  @Test func theDaysTimeEndsTheMusicSoftly() throws {
    let bench = try bench("set limits.daily 30\n")
    _ = bench.ask("play long")
    bench.clock.run(seconds: 20 * 60)
    #expect(bench.status("minutes-left") == "10")
    _ = bench.ask("pause")
    bench.clock.run(seconds: 3600)
    #expect(bench.status("minutes-left") == "10", "what is paused does not count")
    _ = bench.ask("play")
    bench.clock.run(seconds: 10 * 60 + 90)
    #expect(bench.status("state") == "finished" && bench.status("limit") == "daily")
    _ = bench.ask("tag 1 play long")
    for line in ["play", "play long", "tag swipe 1", "next", "toggle"] {
      #expect(bench.ask(line).contains("error: today's 30 min are used up"), "\(line)")
    }
    #expect(bench.machine.logged.contains("The music ends: today's time is used up."))
    // A new day.
    bench.clock.run(seconds: 8 * 3600)
    #expect(bench.status("limit") == nil && bench.ask("play").hasPrefix("ok"))
    #expect(bench.status("state") == "playing")
  }

  @Test func pullingThePlugGivesNothingBack() throws {
    let storage = Bench.storage("set limits.daily 30\n")
    var heard = 0
    for _ in 0..<60 {
      let bench = try bench("", storage)
      _ = bench.ask("play long")
      bench.clock.run(seconds: 115)
      if bench.status("state") == "playing" { heard += 1 }
      bench.pullThePlug()
    }
    // Each power cut loses at most one minute of the count.
    #expect(15...31 ~= heard, "\(heard) starts were heard")
  }

  @Test func aBoxThatWakesUpLimitedIsSilent() throws {
    let storage = Bench.storage("set limits.daily 30\n")
    let first = try bench("", storage)
    _ = first.ask("play long")
    first.clock.run(seconds: 29 * 60 + 30)
    #expect(first.status("state") == "playing")
    first.pullThePlug()
    storage.write("/state.heard", "\(4) 1800\n")
    let second = try Bench(storage)
    second.clock.run(seconds: 30)
    #expect(second.status("state") == "paused" && second.status("limit") == "daily")
    #expect((second.machine.card?.heard ?? 0) == 0, "not a sound")
  }

  @Test func quietHoursEndTheMusicAndRefuseMore() throws {
    let bench = try bench("set limits.quiet-from 19:00\nset limits.quiet-to 07:00\n")
    _ = bench.ask("play long")
    #expect(bench.status("state") == "playing")
    set(bench, 18 * 60 + 59)
    bench.clock.run(seconds: 120)
    #expect(bench.status("limit") == "quiet")
    #expect(["finished", "fadingOut"].contains(try #require(bench.status("state"))))
    _ = bench.ask("tag 1 play long")
    for line in ["play long", "play", "toggle", "next", "tag swipe 1"] {
      #expect(bench.ask(line).contains("error: it is quiet until 07:00"), "\(line)")
    }
    set(bench, 7 * 60)
    #expect(bench.status("limit") == nil && bench.ask("play long").hasPrefix("ok"))
  }

  /// Music that starts without a command, from standby or a reconnect, is paused again.
  @Test func whatBeginsByItselfIsPausedAgain() throws {
    let bench = try bench("set limits.quiet-from 19:00\nset limits.quiet-to 07:00\n")
    _ = bench.ask("play long")
    _ = bench.ask("standby")
    set(bench, 20 * 60)
    #expect(bench.ask("wake").contains("error: it is quiet"))
    let box = try #require(bench.box)
    box.owners.outputs.player.handle(.wake)
    bench.clock.run(seconds: 5)
    box.owners.outputs.player.handle(.play)
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") != "playing")
  }

  @Test func alarmsRingAndEndWithTheirMusic() throws {
    let bench = try bench("set limits.quiet-from 19:00\nset limits.quiet-to 09:00\n")
    _ = bench.ask("alarm 07:00 daily play long")
    set(bench, 6 * 60 + 59)
    bench.clock.run(seconds: 90)
    #expect(bench.status("state") == "playing")
    bench.clock.run(seconds: 660)
    #expect(bench.status("alarm") == nil)
    #expect(["finished", "fadingOut", "paused"].contains(try #require(bench.status("state"))))
  }

  @Test func onlyTagsChoose() throws {
    let bench = try bench("set limits.tags-only on\n")
    _ = bench.ask("tag 1 play long")
    for line in ["play short", "queue add short", "queue insert next short", "play", "toggle"] {
      #expect(bench.ask(line).contains("error: only tags choose what is played"), "\(line)")
    }
    bench.machine.devices.chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "idle")
    let tags = try #require(bench.box).owners.tags
    tags.take(try #require(TagInputs.placed("1")))
    bench.clock.run(seconds: 5)
    #expect(bench.status("title") == "long")
    for (line, state) in [
      ("pause", "paused"), ("play", "playing"), ("stop", "finished"), ("play", "playing"),
    ] {
      #expect(bench.ask(line).hasPrefix("ok"), "\(line)")
      bench.clock.run(seconds: 3)
      #expect(bench.status("state") == state, "\(line)")
    }
    #expect(bench.ask("volume 33").hasPrefix("ok") && bench.status("volume") == "33")
    #expect(bench.ask("next").hasPrefix("ok"))
    bench.clock.run(seconds: 3)
    #expect(bench.status("state") == "finished", "it was the only one")
  }

  @Test func limitsAreLifted() throws {
    let bench = try bench("set limits.quiet-from 15:00\nset limits.quiet-to 18:00\nset limits.tags-only on\n")
    #expect(bench.ask("play long").contains("error"))
    #expect(bench.ask("limits lift 10").contains("lifted for 10 min"))
    #expect(bench.ask("play long").hasPrefix("ok"))
    bench.clock.run(seconds: 300)
    #expect(bench.status("state") == "playing" && bench.status("limits-lifted-minutes") == "5")
    bench.clock.run(seconds: 400)
    #expect(
      ["finished", "fadingOut"].contains(try #require(bench.status("state")))
        && bench.status("limit") == "quiet")
    _ = bench.ask("limits lift 10")
    #expect(bench.ask("limits lift off").contains("quiet hours"))
    #expect(bench.ask("play long").contains("error"))
  }

  @Test func eventsTellOfThem() throws {
    let bench = try bench("set limits.daily 2\n")
    let watcher = bench.watcher("watch limits")
    _ = bench.ask("play long")
    bench.clock.run(seconds: 130)
    let text = watcher.takeText()
    #expect(text.contains("limits: music may be played, 1 min of today are left"), "\(text)")
    #expect(text.contains("limits: today's time is used up"), "\(text)")
  }

  @Test func withoutLimitsNothingIsCountedOrWritten() throws {
    let storage = Bench.storage()
    let bench = try bench("", storage)
    _ = bench.ask("play long")
    bench.clock.run(seconds: 600)
    #expect(storage.files["/state.heard"] == nil)
    #expect(bench.status("limit") == nil && bench.status("minutes-left") == nil)
  }
}
