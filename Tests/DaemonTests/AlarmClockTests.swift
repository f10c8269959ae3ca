// Alarms from the command to the sound: with and without music, snoozing, and across power cuts. Test
// threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct AlarmClockTests {
  /// A box whose clock reads Monday, 06:50.
  private func bench(_ lines: String = "", _ kept: SimulatedStorage? = nil, card: Bool = true) throws -> Bench
  {
    let bench = try Bench(kept ?? Bench.storage(lines), hasCard: card)
    bench.machine.minuteOfDay = 6 * 60 + 50
    bench.machine.wallClock.signal()
    return bench
  }

  private func isRinging(_ bench: Bench) -> Bool { bench.status("alarm")?.hasPrefix("rings") ?? false }

  @Test func itPlaysAtItsTimeAndGetsLouder() throws {
    let bench = try bench("set alarm.rise 100\n")
    _ = bench.ask("volume 70")
    #expect(bench.ask("alarm 07:00 weekdays play long").contains("ok rings mon 07:00"))
    #expect(bench.status("next-alarm") == "mon 07:00" && bench.status("alarm") == nil)
    bench.clock.run(seconds: 590)
    #expect(bench.status("state") == "idle")
    bench.clock.run(seconds: 10)
    #expect(bench.status("state") == "playing" && isRinging(bench))
    #expect(try #require(bench.status("volume").flatMap { Int($0) }) < 15)
    bench.clock.run(seconds: 50)
    #expect(24...30 ~= (try #require(bench.status("volume").flatMap { Int($0) })))
    bench.clock.run(seconds: 60)
    #expect(bench.status("volume") == "40" && isRinging(bench))
    // A press ends the alarm and restores the volume that the user had set.
    _ = bench.ask("pause")
    #expect(bench.status("state") == "paused" && bench.status("volume") == "70" && !isRinging(bench))
    #expect(bench.status("next-alarm") == "tue 07:00")
  }

  @Test func itReplacesTheQueue() throws {
    let bench = try bench()
    _ = bench.ask("queue add short short short")
    _ = bench.ask("alarm 07:00 daily play long")
    #expect(bench.status("queue") == "3")
    bench.clock.run(seconds: 600)
    #expect(isRinging(bench) && bench.status("queue") == "1" && bench.status("title") == "long")
  }

  @Test func whoeverTurnsTheKnobHasIt() throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 daily play long")
    bench.clock.run(seconds: 620)
    _ = bench.ask("volume 35")
    bench.clock.run(seconds: 60)
    #expect(bench.status("volume") == "35" && isRinging(bench))
    // While the alarm rings, the volume cannot go below the alarm's minimum.
    #expect(bench.ask("volume 12").contains("ok 30 %, the least while an alarm rings"))
    #expect(bench.status("volume") == "30" && isRinging(bench))
    _ = bench.ask("pause")
    #expect(bench.status("volume") == "12")
  }

  /// Turning the knob during the alarm's ramp never makes the alarm louder at once or earlier, and the alarm
  /// still becomes audible.
  @Test(arguments: [1.0, 5, 20], ["volume 5", "volume -5", "volume 0"])
  func aKnobThatIsTurnedEarlyDoesNotJump(seconds: Double, line: String) throws {
    let bench = try bench()
    _ = bench.ask("volume 20")
    _ = bench.ask("alarm 07:00 daily play long")
    bench.clock.run(seconds: 598 + seconds)
    var isRinging = isRinging(bench)
    #expect(isRinging)
    let before = try #require(bench.status("volume").flatMap { Int($0) })
    _ = bench.ask(line)
    let after = try #require(bench.status("volume").flatMap { Int($0) })
    #expect(after <= before + 1, "\(before) → \(after)")
    bench.clock.run(seconds: 70)
    let volume = bench.status("volume")
    isRinging = self.isRinging(bench)
    #expect(volume == "30" && isRinging)
  }

  /// Summer time begins at 02:00: an alarm set within the skipped hour rings once, within a second of the
  /// jump.
  @Test(arguments: [1, 10, 29, 30, 31, 59]) func anAlarmWithinTheSkippedHourRingsRightAfterIt(minute: Int)
    throws
  {
    let bench = try bench()
    bench.machine.minuteOfDay = 60
    bench.machine.wallClock.signal()
    _ = bench.ask("alarm 02:\(minute < 10 ? "0" : "")\(minute) daily play long")
    let left = 3600 - (bench.machine.localTime.seconds % 3600)
    // Each question advances the clock by one second.
    bench.clock.run(seconds: Double(left) - 1.5)
    var rings = isRinging(bench)
    #expect(!rings)
    // The zone's offset changes at the full minute without any event.
    bench.machine.minuteOfDay += 60
    bench.clock.run(seconds: 1.5)
    rings = isRinging(bench)
    #expect(rings, "\(bench.ask("alarm")) \(bench.machine.logged.suffix(3))")
    _ = bench.ask("alarm stop")
    bench.clock.run(seconds: 7200)
    rings = isRinging(bench)
    #expect(!rings)
  }

  /// Whatever the knob, the night limit and alarm.volume are, a risen alarm has at least its minimum volume
  /// and never exceeds volume.maximum.
  @Test(arguments: [0, 12, 70], [0, 5, 15, 35, 100])
  func anAlarmIsAudible(knob: Int, night: Int) throws {
    for (maximum, wanted, minimum) in [
      (100, 40, 30), (100, 40, 1), (20, 40, 30), (100, 10, 30), (60, 80, 50),
    ] {
      let bench = try bench(
        "set night.from 22:00\nset night.to 08:00\nset night.maximum \(night)\nset volume.maximum \(maximum)\n"
          + "set alarm.volume \(wanted)\nset alarm.minimum \(minimum)\n")
      _ = bench.ask("volume \(knob)")
      let expected = min(maximum, max(min(wanted, night), min(minimum, wanted)))
      let answer = bench.ask("alarm 07:00 daily play long")
      let warns = answer.contains("limits an alarm")
      #expect(warns == (expected < wanted), "\(answer)")
      bench.clock.run(seconds: 800)
      let volume = bench.status("volume")
      #expect(volume == "\(expected)" && isRinging(bench))
      let card = try #require(bench.machine.card)
      let heard = card.last
      #expect(heard > 0 && abs(heard - 0.5 * Volume(Float(expected)).gain(.cubic).factor) < 1e-4)
      _ = bench.ask("alarm stop")
      let after = bench.status("volume")
      #expect(after == "\(min(knob, night, maximum))")
    }
  }

  @Test(arguments: [
    "set night.maximum 10", "set night.from 22:00", "set alarm.volume 90", "set volume.maximum 20",
  ])
  func aLimitThatQuietensAlarmsIsSaid(_ line: String) throws {
    let bench = try bench("set night.to 08:00\nset night.from 21:00\n")
    let answer = bench.ask(line)
    #expect(answer.contains("limits an alarm") && answer.contains("below alarm.volume"), "\(answer)")
    #expect(!bench.ask("set fade.length 2").contains("limits an alarm"))
  }

  @Test(arguments: ["stop", "pause", "toggle", "alarm stop", "mute", "standby"])
  func whatWantsSilenceEndsIt(_ command: String) throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 daily play long")
    bench.clock.run(seconds: 605)
    #expect(isRinging(bench))
    #expect(bench.ask(command).hasPrefix("ok"))
    bench.clock.run(seconds: 3600)
    #expect(!isRinging(bench) && bench.status("next-alarm") == "tue 07:00")
  }

  @Test func itRingsAgainAfterSnoozing() throws {
    let bench = try bench("button bed gpio gpiochip0 1\nbind bed short snooze\n")
    _ = bench.ask("alarm 07:00 daily play long")
    bench.clock.run(seconds: 605)
    bench.press(1)
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "paused")
    #expect(try #require(bench.status("alarm")).hasPrefix("snoozed until mon 07:09"))
    bench.clock.run(seconds: 9 * 60)
    #expect(bench.status("state") == "playing" && isRinging(bench))
    #expect(bench.ask("snooze 3").contains("rings again in 3 min"))
    _ = bench.ask("alarm stop")
    bench.clock.run(seconds: 3600)
    #expect(bench.status("state") == "paused" && !isRinging(bench))
    #expect(bench.ask("snooze").contains("no alarm rings"))
  }

  @Test func whatIsNotFoundIsReplacedByTheFallback() throws {
    let bench = try bench("set alarm.fallback /music/long\n")
    _ = bench.ask("alarm 07:00 daily play nowhere")
    bench.clock.run(seconds: 605)
    #expect(bench.status("alarm") == "rings with the fallback" && bench.status("title") == "long")
  }

  @Test func withoutAnythingToPlayTheBoxRingsByItself() throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 daily play nowhere")
    bench.clock.run(seconds: 602)
    let card = try #require(bench.machine.card)
    let before = card.heard
    bench.clock.run(seconds: 10)
    #expect(card.heard - before > 100_000, "cues are off; an alarm is none")
    #expect(bench.status("alarm") == "rings with the built-in sound")
    // The press that silences the alarm does not start music.
    #expect(bench.ask("toggle").contains("the alarm is off"))
    bench.clock.run(seconds: 2)
    let silent = card.heard
    bench.clock.run(seconds: 20)
    #expect(card.heard == silent && bench.status("state") == "idle")
  }

  @Test func aCardThatIsAwayIsWaitedFor() throws {
    let bench = try bench(card: false)
    _ = bench.ask("alarm 07:00 daily play long")
    bench.clock.run(seconds: 700)
    #expect(bench.status("alarm") == "rings")
    bench.machine.hasCard = true
    bench.clock.run(seconds: 60)
    #expect(bench.status("state") == "playing" && bench.status("alarm") == "rings")
  }

  /// An alarm whose station does not respond rings with its fallback or the built-in sound.
  @Test(arguments: [
    ("/music/long", "rings with the fallback"), ("/music/gone", "rings with the built-in sound"),
  ])
  func aStationThatIsAwayIsReplaced(fallback: String, _ says: String) throws {
    let storage = Bench.storage("set volume.start 100\nset alarm.fallback \(fallback)\n")
    let station = SimulatedStation()
    station.isOn = false
    storage.tracks["http://radio.example/live"] = SimulatedTrack(
      seconds: 36_000, level: 0.25, station: station)
    let bench = try bench("", storage)
    #expect(bench.ask("alarm 07:00 daily play http://radio.example/live").contains("ok rings"))
    bench.clock.run(seconds: 600)
    let card = try #require(bench.machine.card)
    let before = card.heard
    bench.clock.run(seconds: 40)
    #expect(bench.status("alarm") == says, "\(bench.machine.logged.suffix(5))")
    #expect(card.heard - before > 100_000)
    #expect(bench.ask("alarm stop").contains("ok"))
    bench.clock.run(seconds: 5)
    let silent = card.heard
    station.isOn = true
    bench.clock.run(seconds: 120)
    #expect(card.heard == silent && bench.status("alarm") == nil)
  }

  /// A station that fails at the alarm and comes within the timeout is what rings; one that comes later takes the place
  /// of the built-in sound.
  @Test(arguments: [5.0, 60.0], ["", "set alarm.fallback /music/long\n"])
  func aStationThatComesLateRings(seconds: Double, lines: String) throws {
    let storage = Bench.storage("set volume.start 100\nset alarm.rise 0\n" + lines)
    let station = SimulatedStation()
    station.isOn = false
    storage.tracks["http://radio.example/live"] = SimulatedTrack(
      seconds: 36_000, level: 0.25, station: station)
    let bench = try bench("", storage)
    _ = bench.ask("alarm 07:00 daily play http://radio.example/live")
    bench.clock.run(seconds: 600 + seconds)
    let isReplaced = seconds > 20
    #expect(
      bench.status("alarm")
        == (!isReplaced
          ? "rings" : lines.isEmpty ? "rings with the built-in sound" : "rings with the fallback"))
    station.isOn = true
    bench.clock.run(seconds: 60)
    // The fallback has replaced the queue, so that the station is not tried again.
    guard !isReplaced || lines.isEmpty else { return #expect(bench.status("title") == "long") }
    #expect(bench.status("alarm") == "rings" && bench.status("title") == "live")
    let card = try #require(bench.machine.card)
    let level = card.last
    #expect(level > 0)
    for _ in 0..<50 {
      bench.clock.run(seconds: 0.1)
      #expect(card.last == level, "the station alone is heard")
    }
  }

  /// While an alarm that rings once rings, the list does not announce it for tomorrow.
  @Test func anAlarmThatRingsOnceDoesNotRingTomorrow() throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 once play long")
    bench.clock.run(seconds: 605)
    #expect(bench.ask("alarm").contains("07:00 once play long, rings now"))
    _ = bench.ask("snooze 5")
    #expect(bench.ask("alarm").contains("07:00 once play long, snoozed"))
    _ = bench.ask("alarm stop")
    #expect(bench.ask("alarm").contains("no alarms"))
  }

  /// An alarm waits twenty seconds for sound before it uses its fallback.
  @Test func whatHangsIsReplacedAfterTwentySeconds() throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 daily play long")
    bench.machine.storage.hangs = true
    bench.clock.run(seconds: 598)
    while bench.status("alarm") == nil {}
    // Each question advances the clock by one second.
    bench.clock.run(seconds: 17)
    let early = bench.status("alarm")
    #expect(early == "rings", "\(early ?? "")")
    bench.clock.run(seconds: 3)
    let late = bench.status("alarm")
    #expect(late == "rings with the built-in sound", "\(late ?? "")")
  }

  /// A queue that ends after thirty seconds is replaced by the fallback.
  @Test func whatEndsTooSoonIsReplaced() throws {
    let bench = try bench("set alarm.fallback /music/long\n")
    _ = bench.ask("alarm 07:00 daily play short")
    bench.clock.run(seconds: 605)
    #expect(bench.status("title") == "short")
    bench.clock.run(seconds: 40)
    #expect(bench.status("title") == "long" && bench.status("state") == "playing")
  }

  @Test func afterTenMinutesItIsOver() throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 once play long")
    bench.clock.run(seconds: 1230)
    #expect(bench.status("alarm") == nil && bench.status("state") == "playing")
    #expect(bench.ask("alarm").contains("no alarms"))
    #expect(bench.machine.logged.contains("The alarm rang for ten minutes without being stopped."))
  }

  @Test func itOutlivesAPowerCutAndRingsLateIfItMust() throws {
    let storage = Bench.storage()
    let first = try bench("", storage)
    _ = first.ask("alarm 07:00 daily play long")
    first.clock.run(seconds: 605)
    #expect(isRinging(first))
    first.pullThePlug()
    // A board without a battery-backed clock starts at noon of some day until NTP sets the time.
    let second = try Bench(storage)
    second.clock.run(seconds: 5)
    #expect(!isRinging(second))
    second.machine.minuteOfDay = 7 * 60 + 10
    second.machine.wallClock.signal()
    second.clock.run(seconds: 2)
    #expect(isRinging(second) && second.status("title") == "long")
    _ = second.ask("alarm stop")
    second.pullThePlug()
    let third = try Bench(storage)
    third.machine.minuteOfDay = 7 * 60 + 15
    third.machine.wallClock.signal()
    third.clock.run(seconds: 2)
    #expect(!isRinging(third), "somebody has ended it")
    #expect(third.ask("alarm").contains("1 07:00 daily play long, rings tue 07:00"))
  }

  /// A failed write of the alarms is retried until it succeeds and logged once; the user need not set the
  /// alarm again.
  @Test(arguments: [3.0, 400.0]) func itIsKeptOnceTheStorageTakesIt(away: Double) throws {
    let storage = Bench.storage()
    let first = try bench("", storage)
    _ = first.ask("alarm 09:00 daily play long")
    storage.isReadOnly = true
    _ = first.ask("alarm 07:00 daily play long")
    _ = first.ask("alarm remove 1")
    first.clock.run(seconds: away)
    storage.isReadOnly = false
    // The maximum backoff.
    first.clock.run(seconds: 61)
    #expect(first.machine.logged.filter { $0.hasPrefix("/state.alarms was not written") }.count == 1)
    let writes = storage.replacements
    first.clock.run(seconds: 300)
    #expect(storage.replacements == writes, "what is written is left alone")
    first.pullThePlug()
    let second = try Bench(storage)
    #expect(second.ask("alarm").contains("1 07:00 daily play long") && !second.ask("alarm").contains("09:00"))
  }

  /// Alarms that could not be written are written once more when the box shuts down.
  @Test func itIsKeptWhenTheBoxEnds() throws {
    let storage = Bench.storage()
    let first = try bench("", storage)
    storage.isReadOnly = true
    _ = first.ask("alarm 07:00 daily play long")
    storage.isReadOnly = false
    first.machine.terminate()
    first.clock.run(seconds: 0.5)
    first.pullThePlug()
    #expect(try Bench(storage).ask("alarm").contains("1 07:00 daily play long"))
  }

  /// Alarms that cannot be read at startup still ring if they are read before they are due.
  @Test func itRingsWhereItIsReadLate() throws {
    let storage = Bench.storage()
    let first = try bench("", storage)
    _ = first.ask("alarm 07:00 daily play long")
    first.pullThePlug()
    storage.isUnreadable = true
    let second = try bench("", storage)
    second.clock.run(seconds: 200)
    #expect(second.ask("alarm").contains("no alarms"))
    storage.isUnreadable = false
    second.clock.run(seconds: 405)
    #expect(isRinging(second))
    #expect(second.machine.logged.filter { $0.hasPrefix("The alarm file cannot be read: ") }.count == 1)
  }

  @Test(arguments: ["sleep 12", "sleep track"]) func itEndsWhatIsToStopTheMusic(line: String) throws {
    let bench = try bench()
    _ = bench.ask("play long")
    _ = bench.ask("alarm 07:00 daily play long")
    _ = bench.ask(line)
    bench.clock.run(seconds: 900)
    #expect(bench.status("state") == "playing" && bench.status("sleep-seconds") == nil)
    #expect(bench.status("sleep-after") == nil)
  }

  @Test func itIsKeptTurnedOffAndRemoved() throws {
    let bench = try bench()
    _ = bench.ask("alarm 07:00 daily play long")
    _ = bench.ask("alarm 06:55 sat,sun play \"slow jazz\"")
    #expect(bench.ask("alarm off 1").contains("1 07:00 daily play long, off"))
    #expect(bench.status("next-alarm") == "sat 06:55")
    #expect(bench.ask("alarm on 1").contains("rings mon 07:00"))
    #expect(bench.ask("alarm remove 3").contains("there is no alarm 3"))
    #expect(bench.ask("alarm remove 1").contains("1 06:55 weekend play \"slow jazz\""))
    #expect(bench.ask("alarm remove all").contains("no alarms") && bench.status("next-alarm") == nil)
  }

  @Test(
    arguments: [
      ("alarm 25:00 daily play x", "'25:00' is not a time of day"),
      ("alarm 7:00 dayly play x", "'dayly' is not once"),
      ("alarm 7:00 daily", "play is missing"), ("alarm 7:00 daily play", "PATH is missing"),
      ("alarm 7:00 daily stop", "'stop' is not play"), ("alarm remove 0", "'0' is not"),
      ("alarm stop", "no alarm rings"), ("snooze 61", "'61' is not a number of minutes"),
    ])
  func whatIsWrongIsNamed(_ line: String, _ expected: String) throws {
    let answer = try bench().ask(line)
    #expect(answer.contains("error: ") && answer.contains(expected), "\(answer)")
  }

  @Test func theConfigurationFileSetsItOnce() throws {
    let storage = Bench.storage("alarm 07:00 daily play long\n")
    let first = try bench("", storage)
    first.clock.run(seconds: 605)
    #expect(isRinging(first))
    _ = first.ask("alarm stop")
    first.pullThePlug()
    let second = try Bench(storage)
    second.machine.minuteOfDay = 7 * 60 + 5
    second.machine.wallClock.signal()
    second.clock.run(seconds: 2)
    #expect(!isRinging(second))
    #expect(second.ask("alarm").contains("1 07:00 daily play long, rings tue 07:00"))
  }

  @Test func eventsTellOfIt() throws {
    let bench = try bench()
    let watcher = bench.watcher("watch alarm")
    _ = bench.ask("alarm 07:00 once play long")
    #expect(watcher.takeText().contains("alarm: quiet, next mon 07:00"))
    bench.clock.run(seconds: 605)
    #expect(watcher.takeText().contains("alarm: rings, none is set"))
  }
}
