// What the queue commands do to playback, from the console, buttons and knobs. Test threads.

import Foundation
import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct QueueEditTests {
  private func bench(_ configuration: String = "") throws -> Bench {
    let storage = Bench.storage(configuration)
    storage.tracks["/music/third"] = SimulatedTrack(seconds: 60, level: 0.125)
    return try Bench(storage)
  }

  /// A box that plays the first of three tracks.
  private func playing(_ configuration: String = "") throws -> Bench {
    let bench = try bench(configuration)
    _ = bench.ask("play /music/long")
    _ = bench.ask("queue add /music/short")
    _ = bench.ask("queue add /music/third")
    #expect(bench.status("path") == "/music/long" && bench.status("state") == "playing")
    return bench
  }

  /// Several changes are carried out together, for the version of the queue that the client has seen.
  @Test func changesOfAnotherVersionAreRefused() throws {
    let bench = try playing()
    let version = try #require(bench.status("queue-version"))
    #expect(bench.ask("queue edit \(version) \"move 3 2\" \"remove 1\"").contains("2 changes, 2 entries"))
    let names = bench.ask("queue").split(separator: "\n").map { String($0) }
    #expect(names.count == 3 && names[0].contains("third") && names[1].contains("short"), "\(names)")
    _ = bench.ask("format json")
    let answer = bench.ask("queue edit \(version) clear")
    #expect(
      answer.contains("\"kind\":\"outdated\"") && answer.contains("the queue has changed since"), "\(answer)")
    #expect(bench.ask("queue").contains("short"))
  }

  /// A change that is not possible: none is carried out.
  @Test(arguments: [
    "remove 9", "move 1 9", "swap 1 9", "mix 9", "priority 1 9", "move 1 3 2", "remove id:99",
  ])
  func noneOfTheChangesIsCarriedOutIfOneIsNotPossible(change: String) throws {
    let bench = try playing()
    let (version, before) = (try #require(bench.status("queue-version")), bench.ask("queue"))
    let answer = bench.ask("queue edit \(version) \"remove 2\" \"\(change)\"")
    #expect(answer.hasPrefix("error: "), "\(answer)")
    #expect(bench.ask("queue") == before && bench.status("queue-version") == version)
  }

  /// All commands in one turn, or one by one.
  @Test(arguments: ["", "set fade.manual-length 1\n"], [true, false])
  func whatReplacesTheQueuePlaysAtOnce(configuration: String, atOnce: Bool) throws {
    let bench = try playing(configuration)
    let lines = ["queue clear", "queue add /music/short", "play"]
    if atOnce {
      _ = bench.ask(lines.joined(separator: "\n"))
    } else {
      for line in lines { _ = bench.ask(line) }
    }
    bench.clock.run(seconds: 1)
    #expect(bench.status("path") == "/music/short" && bench.status("state") == "playing")
    #expect(bench.status("queue-position") == "1")
  }

  @Test func clearStopsAndPlayHasNothing() throws {
    let bench = try playing()
    #expect(bench.ask("queue clear\nplay").contains("queue is empty"))
    bench.clock.run(seconds: 1)
    #expect(bench.ask("toggle").contains("queue is empty"))
    #expect(["idle", "finished"].contains(bench.status("state")))
    #expect(bench.status("queue-id") == nil || bench.status("state") == "finished")
  }

  @Test func theNextTrackPlaysWhenTheCurrentOneIsRemoved() throws {
    let bench = try playing()
    _ = bench.ask("queue remove 1")
    #expect(bench.status("path") == "/music/short" && bench.status("state") == "playing")
    _ = bench.ask("pause")
    _ = bench.ask("queue remove 1")
    #expect(bench.status("path") == "/music/third" && bench.status("state") == "ready")
    _ = bench.ask("play")
    #expect(bench.status("path") == "/music/third" && bench.status("state") == "playing")
    _ = bench.ask("queue remove 1")
    #expect(bench.status("state") == "finished")
  }

  @Test func addingWhereNothingIsLoadedCues() throws {
    let bench = try bench()
    _ = bench.ask("queue add /music/long")
    #expect(bench.status("state") == "ready" && bench.status("path") == "/music/long")
    _ = bench.ask("queue clear")
    #expect(bench.status("state") == "idle")
    _ = bench.ask("queue add /music/short")
    #expect(bench.status("state") == "ready" && bench.status("path") == "/music/short")
  }

  /// The second line comes during the fade-out or after it.
  @Test(arguments: [true, false]) func addingAfterAClearCues(atOnce: Bool) throws {
    let bench = try playing()
    if atOnce {
      _ = bench.ask("queue clear\nqueue add /music/short")
    } else {
      _ = bench.ask("queue clear")
      _ = bench.ask("queue add /music/short")
    }
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "ready" && bench.status("path") == "/music/short")
  }

  @Test func nextOnABoxThatHasPlayedNothingPlays() throws {
    let bench = try playing()
    _ = bench.ask("pause")
    _ = bench.ask("stop")
    #expect(bench.status("state") == "idle")
    _ = bench.ask("next")
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/short")
  }

  // MARK: Before the first track

  @Test(arguments: [false, true]) func previousRestartsTheFirstTrack(paused: Bool) throws {
    let bench = try playing()
    if paused { _ = bench.ask("pause") }
    _ = bench.ask("seek 2")
    _ = bench.ask("previous")
    #expect(bench.status("path") == "/music/long")
    #expect(bench.status("state") == (paused ? "paused" : "playing"))
    if paused { #expect(bench.status("position") == "0.000") }
    _ = bench.ask("set queue.before-first stop")
    _ = bench.ask("seek 0\nprevious")
    bench.clock.run(seconds: 1)
    #expect(["idle", "finished"].contains(bench.status("state")))
  }

  @Test(arguments: ["stop", "pause\nstop"]) func previousBeginsTheFirstTrackAgain(silence: String) throws {
    let bench = try playing()
    _ = bench.ask(silence)
    _ = bench.ask("previous")
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/long")
  }

  // MARK: Knobs and held buttons

  private static let knob = """
    knob skip gpio gpiochip0 8 9
    bind skip right next
    bind skip left previous
    knob wheel gpio gpiochip0 12 13
    bind wheel right seek +10
    bind wheel left seek -10
    knob volume gpio gpiochip0 10 11
    bind volume right volume up
    bind volume left volume down
    button forward gpio gpiochip0 2
    bind forward hold next

    """

  @Test func aKnobStopsAtTheEndsOfTheQueue() throws {
    let bench = try playing(Self.knob)
    _ = bench.ask("simulate turn skip +1")
    #expect(bench.status("path") == "/music/short")
    for _ in 0..<3 {
      _ = bench.ask("simulate turn skip +10")
      #expect(bench.status("path") == "/music/third" && bench.status("state") == "playing")
    }
    for _ in 0..<3 {
      _ = bench.ask("simulate turn skip -10")
      #expect(bench.status("path") == "/music/long" && bench.status("state") == "playing")
    }
    // A `next` from the console ends the queue, unlike a repeated turn; `play` starts it again.
    _ = bench.ask("simulate turn skip +10")
    _ = bench.ask("next")
    bench.clock.run(seconds: 1)
    #expect(bench.status("state") == "finished")
    #expect(!bench.ask("seek +10").contains("ok"))
    #expect(bench.status("state") == "finished")
    _ = bench.ask("simulate down play\nsimulate up play")
    #expect(bench.status("state") == "playing" && bench.status("path") == "/music/third")
  }

  @Test func aHeldButtonStopsAtTheEndOfTheQueue() throws {
    let bench = try playing(Self.knob)
    _ = bench.ask("simulate down forward")
    bench.clock.run(seconds: 10)
    _ = bench.ask("simulate up forward")
    #expect(bench.status("path") == "/music/third" && bench.status("state") == "playing")
  }

  /// At 20 ms per detent, acceleration triples the steps of volume and seeks, but not of tracks.
  @Test(arguments: [("4", 85), ("2", 65), ("1", 45)]) func accelerationHasASetting(most: String, volume: Int)
    throws
  {
    let bench = try playing(Self.knob + "set knob.acceleration \(most)\n")
    func turn(_ knob: String, _ count: Int) {
      let wire = bench.machine.listener.connect()
      for _ in 0..<count {
        wire.type("simulate turn \(knob) +1")
        bench.clock.run(seconds: 0.02)
      }
      bench.clock.run(seconds: 1)
    }
    _ = bench.ask("volume 20")
    turn("volume", 5)
    #expect(bench.status("volume") == "\(volume)")
    // The knob seeks by as many 10 s steps as the volume took 5 % steps; playback adds the elapsed time.
    let before = try #require(bench.status("position").flatMap { Double($0) })
    turn("wheel", 5)
    let moved = try #require(bench.status("position").flatMap { Double($0) }) - before
    #expect((0...6).contains(moved - 10 * Double(volume - 20) / 5), "\(moved) s")
    turn("skip", 2)
    #expect(bench.status("path") == "/music/third")
    _ = bench.ask("queue jump 1")
    turn("skip", 1)
    #expect(bench.status("path") == "/music/short")
  }
}

/// A press of play retries after any failure, with each board profile's own bindings.
@Suite struct PressAfterFailureTests {
  /// The profiles in `boards/`.
  static let profiles: [String] = {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appending(path: "boards")
    let names = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return names.sorted().map { root.appending(path: $0).appending(path: "profile").path }
      .filter { FileManager.default.fileExists(atPath: $0) }
  }()

  @Test func thereAreProfiles() { #expect(Self.profiles.count >= 7) }

  @Test(arguments: profiles, PlaybackError.Kind.allCases.filter { $0 != .outputUnavailable })
  func pressingPlayTriesAgain(profile: String, kind: PlaybackError.Kind) throws {
    let storage = Bench.storage()
    let lines = try String(contentsOfFile: profile, encoding: .utf8).split(separator: "\n")
      .filter {
        $0.hasPrefix("button ") || $0.hasPrefix("bind ") || $0.hasPrefix("knob ") || $0.hasPrefix("panel ")
      }
    storage.write(
      "/etc/box.conf",
      "set media.root /music\nset checkpoint.path /state\nset cues.enabled off\n"
        + lines.joined(separator: "\n") + "\n")
    storage.tracks["/music/bad"] = SimulatedTrack(seconds: 30, level: 0.25, failure: kind)
    let bench = try Bench(storage)
    _ = bench.ask("play /music/bad")
    // Without a press the box retries a few times at most, or once a minute.
    bench.clock.run(seconds: 70)
    #expect(bench.status("state") == "failed", "\(profile)")
    storage.tracks["/music/bad"]?.failure = nil
    let isDue = bench.status("track-retry-seconds") != nil
    _ = bench.ask("simulate down play\nsimulate up play")
    #expect(bench.status("state") == "playing", "\(profile), \(isDue)")
    #expect(bench.status("path") == "/music/bad")
  }
}
