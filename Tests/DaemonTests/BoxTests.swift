// The real daemon with player, mixer and audio loop, in one thread over simulated time. Test threads.

import Daemon
import Platform
import PlaybackModel
import Testing

@testable import Simulator

@Suite struct BoxTests {
  @Test func aTrackIsPlayedThatACommandNames() throws {
    let bench = try Bench()
    _ = bench.ask("volume 100")
    #expect(bench.ask("play short").contains("1 track: short"))
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing")
    let card = try #require(bench.machine.card)
    #expect(card.heard > 100_000 && abs(card.last - 0.25) < 0.001, "\(card.heard) \(card.last)")
    bench.clock.run(seconds: 40)
    #expect(bench.status("state") == "finished")
    #expect(bench.ask("play nothing").contains("there is no 'nothing'"))
  }

  @Test func aPressOfAButtonIsACommand() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    let chip = bench.machine.devices.chip
    chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    chip.set(0, isPressed: false)
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "paused")
  }

  @Test func theSleepTimerFiresAfterItsMinutes() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    #expect(bench.ask("sleep 20").contains("stops in 20 min"))
    bench.clock.run(seconds: 20 * 60 - 10)
    #expect(bench.status("state") == "playing")
    bench.clock.run(seconds: 120)
    #expect(bench.status("state") != "playing")
    #expect(bench.machine.logged.contains("The sleep timer is over."))
  }

  @Test func theNightLimitFollowsTheWallClock() throws {
    let bench = try Bench(
      Bench.storage("set night.maximum 20\nset night.from 22:00\nset night.to 07:00\n"))
    _ = bench.ask("volume 80")
    #expect(bench.status("volume") == "80", "\(bench.machine.logged)")
    bench.machine.minuteOfDay = 23 * 60
    bench.machine.wallClock.signal()
    #expect(bench.status("volume") == "20")
    // In the morning the volume returns to the user's setting.
    bench.machine.minuteOfDay = 7 * 60
    bench.machine.wallClock.signal()
    #expect(bench.status("volume") == "80")
  }

  @Test func theNightBeginsWithoutAnybody() throws {
    let bench = try Bench(
      Bench.storage("set night.maximum 20\nset night.from 22:00\nset night.to 07:00\n"))
    _ = bench.ask("volume 80")
    bench.machine.minuteOfDay = 22 * 60
    bench.clock.run(seconds: 3600)
    #expect(bench.status("volume") == "20")
    bench.machine.minuteOfDay = 7 * 60
    bench.clock.run(seconds: 3600)
    #expect(bench.status("volume") == "80")
  }

  @Test func aSleepTimerCanBeCalledOffAndReplaced() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    _ = bench.ask("sleep 5")
    #expect(bench.ask("sleep off").contains("no sleep timer"))
    bench.clock.run(seconds: 360)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    _ = bench.ask("sleep 5")
    _ = bench.ask("sleep 10")
    bench.clock.run(seconds: 360)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    bench.clock.run(seconds: 300)
    #expect(bench.status("state") != "playing")
  }

  @Test func aPowerCutDoesNotStopTheSleepTimer() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    _ = bench.ask("sleep 10")
    bench.clock.run(seconds: 240)
    bench.pullThePlug()
    let next = try Bench(bench.machine.storage)
    next.clock.run(seconds: 300)
    #expect(next.status("state") == "playing", "\(next.machine.logged)")
    next.clock.run(seconds: 120)
    #expect(next.status("state") != "playing")
  }

  @Test func aLongTrackGoesOnWhereItWasLeftOnce() throws {
    let bench = try Bench(Bench.storage("set bookmarks.minimum-length 20\nset queue.repeat one\n"))
    _ = bench.ask("play long")
    _ = bench.ask("seek 600")
    bench.clock.run(seconds: 10)
    _ = bench.ask("stop")
    bench.clock.run(seconds: 2)
    _ = bench.ask("play")
    let position = try #require(bench.status("position").flatMap { Double($0) })
    #expect((605...620).contains(position), "\(position)")
    // The second round starts at the beginning of the track.
    _ = bench.ask("seek 3580")
    bench.clock.run(seconds: 40)
    let round = try #require(bench.status("position").flatMap { Double($0) })
    #expect((10...40).contains(round), "\(round)")
    #expect(bench.ask("bookmarks").contains("0 bookmarks"))
  }

  /// A bookmark is set for a track whose length is measured during playback or stays unknown.
  @Test(arguments: [30.0, .infinity]) func aTrackOfUnknownLengthGoesOnWhereItWasLeft(measured: Double) throws
  {
    let storage = Bench.storage("set bookmarks.minimum-length 20\n")
    storage.tracks["/music/long"] = SimulatedTrack(seconds: 3600, level: 0.5, measured: measured)
    storage.tracks["/music/short"] = SimulatedTrack(seconds: 600, level: 0.5, measured: measured)
    let bench = try Bench(storage)
    for (track, isKept) in [("long", true), ("short", measured == .infinity)] {
      _ = bench.ask("bookmarks clear")
      _ = bench.ask("play \(track)")
      bench.clock.run(seconds: 20)
      #expect(bench.status("length") == nil)
      bench.clock.run(seconds: 100)
      let length = bench.status("length")
      #expect((length != nil) == (measured < .infinity), "\(length ?? "no length")")
      _ = bench.ask("stop")
      bench.clock.run(seconds: 2)
      #expect(bench.ask("bookmarks").contains(isKept ? "1 bookmark" : "0 bookmarks"), "\(track)")
    }
    _ = bench.ask("play long")
  }

  /// A file that states no length counts as finished when it is left near the end that the decoder has
  /// reached, also at shutdown.
  @Test(arguments: [3598.5, 3700], ["play short", "stop", "end"])
  func aTrackOfUnknownLengthHasNoBookmarkAtItsEnd(place: Double, leaving: String) throws {
    let storage = Bench.storage("set bookmarks.minimum-length 20\n")
    storage.tracks["/music/long"] = SimulatedTrack(seconds: 3600, level: 0.5, measured: .infinity)
    let bench = try Bench(storage)
    _ = bench.ask("play long")
    bench.clock.run(seconds: 10)
    _ = bench.ask("pause")
    bench.clock.run(seconds: 1)
    _ = bench.ask("seek \(place)")
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "paused")
    if leaving == "end" {
      bench.machine.terminate()
      bench.clock.run(seconds: 0.5)
      bench.pullThePlug()
      #expect(try Bench(storage).ask("bookmarks").contains("0 bookmarks"))
    } else {
      _ = bench.ask(leaving)
      bench.clock.run(seconds: 1)
      #expect(bench.ask("bookmarks").contains("0 bookmarks"))
    }
  }

  @Test func aQueueThatIsFullTakesWhatThereIsRoomFor() throws {
    let storage = Bench.storage()
    storage.folders = ["/music/some": 4000, "/music/many": 20_000]
    for folder in storage.folders.keys {
      storage.tracks[folder + "/track"] = SimulatedTrack(seconds: 60, level: 0.1)
    }
    let bench = try Bench(storage)
    #expect(bench.ask("queue add some").contains("4000 added, 4000 in all"))
    #expect(
      bench.ask("queue add many").contains("6000 added, 10000 in all; the queue is full, 14000 left out"))
    #expect(bench.ask("queue add some").contains("error: The queue holds 10000 tracks at most"))
    #expect(bench.ask("queue insert 1 some").contains("error: The queue holds 10000 tracks at most"))
    #expect(bench.status("queue") == "10000")
    #expect(bench.ask("play many").contains("10000 tracks: track; the queue is full, 10000 left out"))
  }

  @Test func noMoreIsPromisedThanIsKept() throws {
    let bench = try Bench()
    #expect(bench.ask("history \(History.capacity)").hasSuffix("ok\n"))
    #expect(bench.ask("history \(History.capacity + 1)").contains("a number from 1 to \(History.capacity)"))
    #expect(bench.ask("log \(Log.capacity)").hasSuffix("ok\n"))
    #expect(bench.ask("log \(Log.capacity + 1)").contains("a number from 1 to \(Log.capacity)"))
  }

  @Test func onlyPowerOnPutsTheVolumeToItsStart() throws {
    let bench = try Bench(Bench.storage("set checkpoint.path off\nset volume.start 30\n"))
    #expect(bench.status("volume") == "30")
    _ = bench.ask("volume 12")
    _ = bench.ask("set fade.length 5")
    #expect(bench.status("volume") == "12")
  }

  @Test func everyCommandIsAnsweredOnce() throws {
    let bench = try Bench()
    for line in ["volume 33", "play long", "pause", "queue", "status", "nonsense"] {
      let reply = bench.ask(line)
      let ends = reply.split(separator: "\n").filter { $0.hasPrefix("ok") || $0.hasPrefix("error") }
      #expect(ends.count == 1, "\(line): \(reply)")
    }
  }

  @Test func theLightFollowsThePlayer() throws {
    let bench = try Bench(Bench.storage("led status gpio gpiochip0 5\n"))
    let chip = bench.machine.devices.chip
    #expect(bench.status("state") == "idle" && !chip.lit.contains(5))
    _ = bench.ask("play long")
    bench.clock.run(seconds: 2)
    for _ in 0..<20 {
      #expect(chip.lit.contains(5))
      bench.clock.run(seconds: 0.21)
    }
    _ = bench.ask("stop")
    bench.clock.run(seconds: 2)
    for _ in 0..<20 {
      #expect(!chip.lit.contains(5))
      bench.clock.run(seconds: 0.21)
    }
  }

  @Test func aPowerCutCostsSecondsAndNoBoxIsLeftBehind() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 300)
    weak let former = bench.box
    bench.pullThePlug()
    #expect(former == nil, "nothing may keep a box but its owner")
    let next = try Bench(bench.machine.storage)
    next.clock.run(seconds: 1)
    #expect(next.status("state") == "playing", "\(next.machine.logged)")
    let position = try #require(next.status("position").flatMap { Double($0) })
    #expect((285...305).contains(position), "\(position)")
    #expect(next.machine.card.map { $0.heard > 1000 } == true)
  }

  @Test func nothingIsLeftOfAMachineWithoutPower() throws {
    // Each box has rings and a mixer, so a leak would exhaust memory in a simulation of many power cuts.
    weak var clock: SimulatedScheduler?
    weak var card: SimulatedCard?
    for _ in 0..<2 {
      let bench = try Bench()
      _ = bench.ask("play long")
      (clock, card) = (bench.clock, bench.machine.card)
      bench.pullThePlug()
    }
    #expect(clock == nil && card == nil)
  }

  @Test func theSameInputsMakeTheSameRun() throws {
    func run() throws -> [String] {
      let bench = try Bench(Bench.storage("set log.level debug\nset fade.length 5\n"))
      var said: [String] = []
      for line in [
        "queue add short long short", "play", "queue shuffle on", "seek 20", "next", "history", "status",
      ] {
        said.append(bench.ask(line))
        bench.clock.run(seconds: 3.7)
      }
      bench.clock.run(seconds: 100)
      said.append(bench.ask("stats"))
      return said + bench.machine.logged + ["\(bench.machine.card?.heard ?? 0) \(bench.clock.now)"]
    }
    let (one, other) = (try run(), try run())
    #expect(one == other && one.count > 8, "\(one)")
  }

  @Test func powerThatIsFailingIsRememberedAtOnce() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 7.3)
    bench.wire.type("power-failing")
    _ = bench.clock.run { bench.wire.takeText().contains("remembered") }
    bench.pullThePlug()
    let next = try Bench(bench.machine.storage)
    next.clock.run(seconds: 1)
    let position = try #require(next.status("position").flatMap { Double($0) })
    #expect((7...13).contains(position), "\(position)")
  }

  @Test func aButtonThatIsDeclaredLaterIsListenedTo() throws {
    let bench = try Bench()
    _ = bench.ask("button other gpio gpiochip0 1")
    _ = bench.ask("bind other press \"volume 12\"")
    bench.machine.devices.chip.set(1, isPressed: true)
    bench.clock.run(seconds: 0.2)
    #expect(bench.status("volume") == "12", "\(bench.machine.logged)")
  }
}
