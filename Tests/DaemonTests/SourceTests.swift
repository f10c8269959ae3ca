// Live sources: which input is audible, how the user's play and pause affect it, and when the music resumes.
// Test threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct SourceTests {
  private let airplay = SimulatedSender()
  private let lineIn = SimulatedSender()

  /// A box with two sources, three seconds after its start.
  private func bench(_ lines: String = "", storage: SimulatedStorage? = nil) throws -> Bench {
    let bench = try Bench(
      storage
        ?? Bench.storage(
          "source airplay exec \"receive\"\nsource line-in alsa hw:1\nset volume.start 100\n" + lines))
    // The box starts the sources once it is open.
    bench.machine.senders = ["receive": airplay, "hw:1": lineIn]
    bench.clock.run(seconds: 3)
    return bench
  }

  private func last(_ bench: Bench) throws -> Float { try #require(bench.machine.card).last }

  @Test func itTakesOverAndGivesBackOnTheSameFrame() throws {
    let bench = try bench()
    let watcher = bench.watcher("watch source")
    _ = bench.ask("play long")
    bench.clock.run(seconds: 2)
    airplay.level = 0.3
    bench.clock.run(seconds: 1)
    #expect(bench.status("source") == "airplay" && bench.status("text") == "Paused (live source)")
    #expect(bench.status("source-latency-ms") == "248" && bench.status("source-ppm") == "-17")
    let position = bench.status("position")
    bench.clock.run(seconds: 60)
    #expect(try bench.status("position") == position && abs(last(bench) - 0.3) < 1e-6)
    #expect(bench.ask("sources").contains("airplay: heard, 248 ms late, clock -17 ppm"))
    airplay.level = nil
    bench.clock.run(seconds: 4)
    #expect(bench.status("state") == "playing" && bench.status("source") == nil)
    #expect(try abs(last(bench) - 0.5) < 1e-6)
    #expect(
      watcher.takeText() == "* source: airplay is heard\n* source: airplay has fallen silent\n")
  }

  /// A Snapcast source shows its synchronization error.
  @Test func aRoomShowsItsError() throws {
    let bench = try bench("source kitchen snapcast 127.0.0.1\n")
    let kitchen = SimulatedSender()
    kitchen.error = -120
    bench.machine.senders["127.0.0.1:1704"] = kitchen
    bench.clock.run(seconds: 10)
    kitchen.level = 0.3
    bench.clock.run(seconds: 2)
    #expect(bench.status("source") == "kitchen" && bench.status("source-error-us") == "-120")
    #expect(bench.ask("sources").contains("kitchen: heard, 248 ms late, clock -17 ppm, -120 us off its time"))
    kitchen.level = nil
    airplay.level = 0.3
    bench.clock.run(seconds: 4)
    #expect(bench.status("source") == "airplay" && bench.status("source-error-us") == nil)
  }

  @Test(arguments: [("always", true, true), ("idle", false, true), ("never", false, false)])
  func itTakesOverWhenItMay(policy: String, overMusic: Bool, inSilence: Bool) throws {
    let bench = try bench("source airplay takes-over \(policy)\n")
    _ = bench.ask("play long")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect((bench.status("source") != nil) == overMusic)
    airplay.level = nil
    bench.clock.run(seconds: 4)
    _ = bench.ask("pause")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect((bench.status("source") != nil) == inSilence)
    // `listen` selects the source, whatever its policy.
    #expect(bench.ask("listen airplay").contains("ok listening to airplay"))
    #expect(try bench.status("source") == "airplay" && abs(last(bench) - 0.3) < 1e-6)
    airplay.level = nil
    bench.clock.run(seconds: 4)
    #expect(bench.status("state") == "paused" && bench.status("source") == nil)
  }

  @Test func whatIsAskedForIsHeardWhenItBegins() throws {
    let bench = try bench("source airplay takes-over never\n")
    #expect(bench.ask("listen airplay").contains("heard as soon as its sound begins"))
    #expect(bench.ask("sources").contains("airplay: waited for"))
    airplay.level = 0.3
    bench.clock.run(seconds: 1)
    #expect(bench.status("source") == "airplay")
    #expect(bench.ask("listen radio").contains("error: there is no source 'radio'"))
  }

  @Test func whatBeginsLastWins() throws {
    let bench = try bench()
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    lineIn.level = 0.2
    bench.clock.run(seconds: 2)
    #expect(try bench.status("source") == "line-in" && abs(last(bench) - 0.2) < 1e-6)
    // The other source stays inaudible after this one has ended.
    lineIn.level = nil
    bench.clock.run(seconds: 4)
    #expect(bench.status("source") == nil)
    #expect(bench.ask("sources").contains("airplay: passes unheard"))
    #expect(bench.ask("listen airplay").contains("ok") && bench.status("source") == "airplay")
  }

  @Test(arguments: ["play", "toggle"]) func playGoesBackToTheMusicUntilItBeginsAnew(command: String) throws {
    let bench = try bench()
    _ = bench.ask("play long")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect(bench.ask(command).contains("Playing"))
    bench.clock.run(seconds: 30)
    #expect(bench.status("state") == "playing" && bench.status("source") == nil)
    #expect(try abs(last(bench) - 0.5) < 1e-6)
    airplay.level = nil
    bench.clock.run(seconds: 4)
    airplay.level = 0.3
    bench.clock.run(seconds: 1)
    #expect(bench.status("source") == "airplay")
  }

  @Test(arguments: ["pause", "stop", "standby", "play short"]) func silenceAndOtherMusicEndIt(command: String)
    throws
  {
    let bench = try bench()
    _ = bench.ask("play long")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    _ = bench.ask(command)
    bench.clock.run(seconds: 5)
    #expect(bench.status("source") == nil)
    if command == "play short" { #expect(try abs(last(bench) - 0.25) < 1e-6) }
    let card = try #require(bench.machine.card)
    let heard = card.heard
    bench.clock.run(seconds: 10)
    #expect((card.heard == heard) == (command != "play short"))
  }

  @Test(arguments: ["standby", "interruption begin"]) func whatSleepsIsNotWoken(command: String) throws {
    let bench = try bench()
    _ = bench.ask("play long")
    _ = bench.ask(command)
    airplay.level = 0.3
    bench.clock.run(seconds: 3)
    #expect(bench.status("source") == nil && bench.status("state") == "paused")
    // Neither does `listen`.
    _ = bench.ask("listen airplay")
    #expect(bench.status("source") == nil)
  }

  /// A button press returns to the music, too.
  @Test func aButtonGoesBackToTheMusic() throws {
    let bench = try bench()
    _ = bench.ask("play long")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    bench.machine.devices.chip.set(0, isPressed: true)
    bench.clock.run(seconds: 0.1)
    bench.machine.devices.chip.set(0, isPressed: false)
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "playing" && bench.status("source") == nil)
  }

  /// On a box without music, its only button silences the source.
  @Test func withoutMusicAToggleSilencesIt() throws {
    let bench = try bench()
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect(bench.ask("toggle").contains("ok") && bench.status("source") == nil)
    #expect(bench.status("queue") == "0")
  }

  @Test func limitsHoldForItToo() throws {
    let bench = try bench("set limits.quiet-from 13:00\nset limits.quiet-to 18:00\n")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect(bench.status("source") == "airplay")
    bench.machine.minuteOfDay = 13 * 60
    bench.machine.wallClock.signal()
    bench.clock.run(seconds: 2)
    #expect(bench.status("source") == nil)
    #expect(bench.ask("listen airplay").contains("error: it is quiet"))
    airplay.level = nil
    bench.clock.run(seconds: 4)
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect(bench.status("source") == nil)
  }

  @Test func whatIsHeardOfItCountsAsHeard() throws {
    let bench = try bench("set limits.daily 60\n")
    airplay.level = 0.3
    bench.clock.run(seconds: 125)
    #expect(bench.status("minutes-heard", of: "limits") == "2")
  }

  /// A source process that ends is restarted with a growing backoff, and the reason is logged once.
  @Test func whatEndsIsStartedAgain() throws {
    airplay.failure = "its command ended with status 1"
    let bench = try bench()
    #expect(bench.status("source-problem") == "airplay: its command ended with status 1")
    bench.clock.run(seconds: 60)
    #expect((4...10).contains(airplay.starts), "\(airplay.starts) starts")
    #expect(bench.machine.logged.filter { $0.contains("with status 1. Trying again") }.count == 1)
    #expect(bench.ask("listen airplay").contains("error: airplay does not run: its command"))
    airplay.failure = nil
    bench.clock.run(seconds: 65)
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    #expect(bench.status("source") == "airplay" && bench.status("source-problem") == nil)
  }

  /// If a source ends while it is audible, the music resumes.
  @Test func itsEndGivesTheMusicBack() throws {
    let bench = try bench()
    _ = bench.ask("play long")
    airplay.level = 0.3
    bench.clock.run(seconds: 2)
    airplay.failure = "its command ended with status 0"
    bench.clock.run(seconds: 2)
    #expect(bench.status("state") == "playing" && bench.status("source") == nil)
  }

  @Test func sourcesComeAndGoByCommandButProgramsDoNot() throws {
    let bench = try bench()
    let radio = SimulatedSender()
    bench.machine.senders["/run/radio"] = radio
    #expect(
      bench.ask("source radio exec reboot").contains(
        "error: what runs a program is taken from the configuration"))
    #expect(bench.ask("source radio fifo /run/radio").contains("ok"))
    radio.level = 0.25
    bench.clock.run(seconds: 1)
    #expect(bench.status("source") == "radio")
    #expect(bench.ask("remove radio").contains("ok") && bench.status("source") == nil)
    #expect(!bench.ask("sources").contains("radio"))
    #expect(bench.ask("controls").contains("source airplay exec receive"))
    #expect(bench.ask("save").contains("ok"))
  }

  /// After a power cut during a live source, the box resumes the music.
  @Test func aCheckpointRemembersTheMusic() throws {
    let bench = try bench()
    _ = bench.ask("play long")
    bench.clock.run(seconds: 20)
    airplay.level = 0.3
    bench.clock.run(seconds: 30)
    let position = try #require(bench.status("position").flatMap { Double($0) })
    let storage = bench.machine.storage
    bench.pullThePlug()
    airplay.level = nil
    let again = try self.bench(storage: storage)
    #expect(again.status("state") == "playing" && again.status("title") == "long")
    let resumed = try #require(again.status("position").flatMap { Double($0) })
    #expect(abs(resumed - position - 4) < 2)
  }

  /// Announcements are mixed over a live source.
  @Test func anAnnouncementIsHeardOverIt() throws {
    let storage = Bench.storage("source airplay exec receive\nset volume.start 100\n")
    storage.tracks["/music/bell"] = SimulatedTrack(seconds: 2, level: 0.4)
    let bench = try bench(storage: storage)
    airplay.level = 0.2
    bench.clock.run(seconds: 2)
    #expect(bench.ask("announce bell").contains("ok"))
    #expect(try abs(last(bench) - 0.4 - 0.2 * 0.25118864) < 1e-4)
    bench.clock.run(seconds: 4)
    #expect(try bench.status("source") == "airplay" && abs(last(bench) - 0.2) < 1e-6)
  }
}
