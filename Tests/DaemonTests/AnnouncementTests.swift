// Announcements from the command to the sound: over music, at night, during a pause, and their errors. Test
// threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct AnnouncementTests {
  private func bench(_ lines: String = "", hasCard: Bool = true) throws -> Bench {
    let storage = Bench.storage(lines)
    storage.tracks["/music/bell"] = SimulatedTrack(seconds: 2, level: 0.9)
    storage.tracks["/music/quiet"] = SimulatedTrack(seconds: 3600, level: 0)
    return try Bench(storage, hasCard: hasCard)
  }

  /// The level of an announcement at the given volume, in percent.
  private func level(_ percent: Float) -> Float { 0.9 * Volume(percent).gain(.cubic).factor }

  private func loudest(_ bench: Bench) throws -> Float { try #require(bench.machine.card).loudest }

  @Test func itIsHeardOverMusicAndToldOf() throws {
    let bench = try bench()
    let watcher = bench.watcher("watch announcement")
    _ = bench.ask("play quiet")
    _ = bench.ask("volume 40")
    #expect(bench.ask("announce bell").contains("ok announced"))
    #expect(bench.status("announcement") == "bell" && bench.status("state") == "playing")
    bench.clock.run(seconds: 5)
    #expect(bench.status("announcement") == nil && bench.status("title") == "quiet")
    #expect(abs(try loudest(bench) - level(40)) < 1e-5)
    #expect(watcher.takeText() == "* announcement: bell begins\n* announcement: bell is over\n")
  }

  /// Without music an announcement is as loud as music would be; with its own volume, as loud as that within
  /// the limits.
  @Test(
    arguments: [
      ("", "volume 50", "announce bell", 50), ("", "volume 50", "announce bell volume 80", 80),
      ("", "volume 50", "announce bell duck 40 volume 5", 5),
      // The minimum audible volume, -36 dB.
      ("", "volume 0", "announce bell", 25.12), ("", "volume 10", "announce bell", 25.12),
      ("set volume.maximum 30\n", "volume 20", "announce bell volume 100", 30),
      ("set night.from 11:00\nset night.to 14:00\nset night.maximum 15\n", "volume 80", "announce bell", 15),
      (
        "set night.from 11:00\nset night.to 14:00\nset night.maximum 15\n", "volume 80",
        "announce bell volume 60", 15
      ),
    ] as [(String, String, String, Float)])
  func itIsAsLoudAsItMayBe(_ lines: String, _ volume: String, _ command: String, _ percent: Float) throws {
    let bench = try bench(lines)
    _ = bench.ask(volume)
    _ = bench.ask(command)
    bench.clock.run(seconds: 4)
    #expect(abs(try loudest(bench) - level(percent)) < 1e-5)
    #expect(bench.status("state") == "idle")
  }

  /// A turn of the knob and the start of the night limit apply to an announcement that is playing.
  @Test func whatSoundsFollowsKnobAndNight() throws {
    let bench = try bench("set night.from 12:01\nset night.to 13:00\nset night.maximum 10\n")
    let card = try #require(bench.machine.card)
    _ = bench.ask("volume 60")
    _ = bench.ask("announce long")
    _ = bench.ask("volume 30")
    #expect(abs(card.last - 0.5 * Volume(30).gain(.cubic).factor) < 1e-5)
    bench.machine.minuteOfDay = 12 * 60 + 1
    bench.clock.run(seconds: 6)
    #expect(abs(card.last - 0.5 * Volume(10).gain(.cubic).factor) < 1e-5)
  }

  @Test func aPausedBoxAnnouncesAndStaysPaused() throws {
    let bench = try bench()
    _ = bench.ask("play long")
    _ = bench.ask("pause")
    let position = bench.status("position")
    let before = try #require(bench.machine.card).heard
    #expect(bench.ask("announce bell duck pause").contains("ok announced"))
    bench.clock.run(seconds: 5)
    #expect(bench.status("state") == "paused" && bench.status("position") == position)
    #expect(try #require(bench.machine.card).heard - before == 2 * 44_100)
  }

  @Test func musicPausesForIt() throws {
    let bench = try bench()
    _ = bench.ask("play long")
    _ = bench.ask("announce bell duck pause")
    #expect(bench.status("text") == "Paused (announcement)")
    bench.clock.run(seconds: 3)
    #expect(bench.status("state") == "playing")
  }

  @Test func theLineIsShownStoppedAndFull() throws {
    let bench = try bench()
    for number in 1...8 {
      let answer = bench.ask("announce long")
      #expect(answer.contains(number == 1 ? "announced" : "announced after"), "\(answer)")
    }
    #expect(bench.status("announcements-waiting") == "7")
    #expect(bench.ask("announce bell").contains("error: 8 announcements are in line already"))
    #expect(bench.ask("announce stop").contains("ok stopped; 7 forgotten"))
    #expect(
      bench.status("announcement") == nil && bench.ask("announce stop").contains("nothing is announced"))
  }

  @Test func oneThatDoesNotEndIsCut() throws {
    let bench = try bench()
    _ = bench.ask("announce long")
    _ = bench.ask("announce bell")
    bench.clock.run(seconds: 310)
    #expect(bench.status("announcement") == nil)
    #expect(bench.machine.logged.contains { $0.contains("exceeded the longest announcement") })
  }

  @Test func aButtonAnnounces() throws {
    let bench = try bench("button bell gpio gpiochip0 1\nbind bell press \"announce bell volume 70\"\n")
    bench.press(1)
    bench.clock.run(seconds: 4)
    #expect(abs(try loudest(bench) - level(70)) < 1e-5)
  }

  @Test func whatIsWrongIsSaid() throws {
    let storage = Bench.storage()
    storage.folders = ["/music/album": 3, "/music/one": 1]
    let bench = try Bench(storage)
    #expect(bench.ask("announce album").contains("error: 'album' has 3 tracks"))
    #expect(bench.ask("announce nowhere").contains("error: "))
    #expect(bench.ask("announce one").contains("ok announced"))
    #expect(try #require(bench.status("announcement-error")).contains("/music/one/track"))
    #expect(bench.machine.logged.contains { $0.hasPrefix("The announcement: ") })
    #expect(bench.status("state") == "idle" && bench.status("last-error") == nil)
  }

  /// The advice about a failed stream does not promise that the announcement is tried again.
  @Test func aStreamThatFailsIsNotTriedAgain() throws {
    let storage = Bench.storage()
    let station = SimulatedStation()
    station.isOn = false
    storage.tracks["http://radio.example/bell"] = SimulatedTrack(seconds: 2, level: 0.25, station: station)
    let bench = try Bench(storage)
    _ = bench.ask("announce http://radio.example/bell")
    bench.clock.run(seconds: 5)
    let line = try #require(bench.machine.logged.first { $0.hasPrefix("The announcement: ") })
    #expect(line.contains("announce it again") && !line.contains("tries again by itself"), "\(line)")
    let openings = station.openings
    station.isOn = true
    bench.clock.run(seconds: 120)
    #expect(station.openings == openings && bench.status("announcement") == nil)
  }

  @Test func withoutAnOutputItIsRefused() throws {
    let bench = try bench(hasCard: false)
    #expect(bench.ask("announce bell").contains("error: there is no sound output"))
  }
}
