// The real box, with its player, mixer and audio loop, in one thread over simulated time. Test threads.

import Daemon
import Platform
import PlaybackModel
import Testing

@testable import Simulator

/// A box, and somebody at its control socket.
final class Bench {
  let machine: SimulatedMachine
  private(set) var box: Box?
  let wire: SimulatedWire

  init(
    _ storage: SimulatedStorage = Bench.storage(), pressed: Set<Int> = [], hasCard: Bool = true,
    hasSerialLine: Bool = false, refusedSockets: [String: Int32] = [:]
  ) throws {
    machine = SimulatedMachine(storage)
    machine.devices.chip.pressed = pressed
    machine.hasCard = hasCard
    machine.hasSerialLine = hasSerialLine
    machine.refusedSockets = refusedSockets
    var options = BoxOptions()
    options.configuration = "/etc/box.conf"
    options.isStrict = true
    options.starts = "/run/starts"
    options.socketOfUser = "/user/swiftlet-control"
    let box = try Box(options, on: machine)
    box.start()
    self.box = box
    wire = machine.listener.connect()
  }

  static func storage(_ configuration: String = "") -> SimulatedStorage {
    let storage = SimulatedStorage()
    storage.write(
      "/etc/box.conf",
      """
      set media.root /music
      set checkpoint.path /state
      set cues.enabled off
      button play gpio gpiochip0 0
      bind play short toggle

      """ + configuration)
    storage.tracks = [
      "/music/short": SimulatedTrack(seconds: 30, level: 0.25),
      "/music/long": SimulatedTrack(seconds: 3600, level: 0.5),
    ]
    return storage
  }

  var clock: SimulatedScheduler { machine.clock }

  /// Types a line and answers what came back within a simulated second.
  func ask(_ line: String) -> String {
    wire.type(line)
    clock.run(seconds: 1)
    return wire.takeText()
  }

  /// A field of `status`.
  func status(_ name: String) -> String? {
    for line in ask("status").split(separator: "\n") {
      let words = line.split(separator: " ", maxSplits: 1)
      if words.first == "\(name):" { return words.last.map { $0.trimmingCharacters } }
    }
    return nil
  }

  func pullThePlug() {
    box = nil
    clock.reset()
    machine.storage.cutPower()
  }
}

extension Substring {
  fileprivate var trimmingCharacters: String { String(drop { $0 == " " }) }
}

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
    // In the morning it is as loud as somebody wanted it.
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
    // Its next round begins at its beginning.
    _ = bench.ask("seek 3580")
    bench.clock.run(seconds: 40)
    let round = try #require(bench.status("position").flatMap { Double($0) })
    #expect((10...40).contains(round), "\(round)")
    #expect(bench.ask("bookmarks").contains("0 bookmarks"))
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
    // Each has rings and a mixer: a simulation of many power cuts would run out of memory.
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

  @Test func anOutputThatIsMissingIsLookedForAndUsed() throws {
    let bench = try Bench(hasCard: false)
    _ = bench.ask("play long")
    bench.clock.run(seconds: 60)
    #expect(bench.status("output")?.contains("trying again in") == true)
    bench.machine.hasCard = true
    bench.clock.run(seconds: 8)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    #expect(bench.machine.card.map { $0.heard > 1000 } == true)
  }

  @Test func aSessionMayEndInTheMiddleOfWhatItWasTold() throws {
    let bench = try Bench()
    bench.wire.type("volume 40\nexit\nvolume 90")
    bench.clock.run(seconds: 1)
    #expect(bench.wire.takeText().hasSuffix("bye\n"))
    let other = bench.machine.listener.connect()
    other.type("play long")
    // It waits for its answer.
    other.hangUp()
    bench.clock.run(seconds: 2)
    let third = bench.machine.listener.connect()
    third.type("status")
    bench.clock.run(seconds: 1)
    let status = third.takeText()
    #expect(status.contains("volume:         40") && status.contains("playing"), "\(status)")
  }

  @Test func aSerialConsoleThatVanishesIsLookedForAndUsed() throws {
    let bench = try Bench(Bench.storage("set console.tty /dev/ttyS0\n"))
    bench.machine.hasSerialLine = true
    bench.clock.run(seconds: 1)
    for round in 1...3 {
      let line = try #require(bench.machine.serialLine)
      line.type("volume \(round)\r")
      bench.clock.run(seconds: 1)
      #expect(line.takeText().contains("\(round) %"))
      line.hangUp()
      bench.machine.hasSerialLine = false
      bench.clock.run(seconds: 60)
      bench.machine.hasSerialLine = true
      bench.clock.run(seconds: 9)
      #expect(bench.machine.serialLine !== line)
    }
  }

  @Test func aButtonThatIsDeclaredLaterIsListenedTo() throws {
    let bench = try Bench()
    _ = bench.ask("button other gpio gpiochip0 1")
    _ = bench.ask("bind other press \"volume 12\"")
    bench.machine.devices.chip.set(1, isPressed: true)
    bench.clock.run(seconds: 0.2)
    #expect(bench.status("volume") == "12", "\(bench.machine.logged)")
  }

  @Test func aStickThatIsTakenOutAndPutBackGoesOn() throws {
    let storage = Bench.storage("set media.removable /media\nset media.removable-action play\n")
    storage.tracks["/media/stick"] = SimulatedTrack(seconds: 600, level: 0.5)
    let bench = try Bench(storage)
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 10)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
    bench.machine.mounts.points = []
    bench.clock.run(seconds: 1)
    #expect(bench.machine.logged.contains("/media/stick was removed."))
    bench.machine.mounts.points = ["/media/stick"]
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "playing", "\(bench.machine.logged)")
  }

  @Test func itEndsWhenItIsToldTo() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 30)
    let begin = bench.clock.now
    bench.machine.terminate()
    #expect(bench.clock.run { bench.box?.outcome != nil })
    #expect(bench.clock.now - begin < 1_000_000_000)
    #expect(bench.machine.logged.last == "Ended.")
  }

  @Test func storageThatHangsDoesNotKeepItFromEnding() throws {
    let bench = try Bench()
    _ = bench.ask("play long")
    bench.machine.storage.hangs = true
    bench.machine.terminate()
    #expect(bench.clock.run { bench.box?.outcome != nil })
    #expect(bench.machine.logged.contains("The last checkpoint could not be written in time."))
  }

  @Test func storageThatHangsIsNotWaitedForLongerThanHalfAMinute() throws {
    let bench = try Bench()
    bench.machine.storage.hangs = true
    #expect(!bench.ask("play long").contains("error"))
    bench.clock.run(seconds: 31)
    #expect(bench.wire.takeText().contains("the storage does not answer"))
  }

  @Test func aBoxThatDiesAgainAndAgainStartsWithCare() throws {
    let storage = Bench.storage()
    var states: [String] = []
    for _ in 0..<7 {
      let bench = try Bench(storage)
      bench.clock.run(seconds: 2)
      if bench.status("queue") == "0", states.isEmpty { _ = bench.ask("play long") }
      states.append(bench.status("state") ?? "")
      if states.count > 3 {
        #expect(bench.machine.logged.contains { $0.contains("died \(states.count - 1) times") })
      }
      bench.pullThePlug()
    }
    #expect(states == ["playing", "playing", "playing", "ready", "ready", "idle", "idle"])
    // What it remembers is still there once it lives.
    let bench = try Bench(storage)
    bench.clock.run(seconds: 61)
    bench.pullThePlug()
    let last = try Bench(storage)
    last.clock.run(seconds: 2)
    #expect(last.status("queue") == "1")
  }

  @Test func aBoxThatWasToldToEndHasNotDied() throws {
    let storage = Bench.storage()
    for _ in 0..<8 {
      let bench = try Bench(storage)
      bench.clock.run(seconds: 1)
      bench.machine.terminate()
      bench.clock.run(seconds: 5)
      #expect(!bench.machine.logged.contains { $0.contains("has died") })
    }
  }

  @Test func aButtonHeldAtPowerOnBringsTheDefaults() throws {
    let bench = try Bench(pressed: [0])
    bench.clock.run(seconds: 1)
    #expect(!bench.machine.logged.contains { $0.hasPrefix("Ready.") })
    bench.clock.run(seconds: 1.5)
    #expect(bench.machine.logged.contains { $0.hasPrefix("Ready.") })
    #expect(bench.status("safe-start") == "yes", "\(bench.ask("status"))")
  }

  @Test func aSafeStartHasTheBoardsControls() throws {
    let storage = Bench.storage("board test\nunbind play short\nbind play short volume 0\n")
    storage.write("/boards/test", "button play gpio gpiochip0 0\nbind play short toggle\n")
    let bench = try Bench(storage, pressed: [0])
    bench.clock.run(seconds: 3)
    let controls = bench.ask("controls")
    #expect(controls.contains("bind play short toggle") && !controls.contains("volume 0"), "\(controls)")
  }

  @Test func aButtonThatComesUpAtPowerOnMeansNothing() throws {
    let bench = try Bench(pressed: [0])
    bench.clock.run(seconds: 1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 0.1)
    #expect(bench.machine.logged.contains { $0.hasPrefix("Ready.") })
    #expect(bench.status("safe-start") == nil)
  }
}
