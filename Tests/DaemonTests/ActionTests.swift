// The actions that `status` lists are those that the console accepts, in every state and with each kind of
// content. Test threads.

import Platform
import PlaybackModel
import Testing

@testable import Daemon
@testable import Simulator

@Suite struct ActionTests {
  /// A player state together with the content that the box has.
  enum Situation: String, CaseIterable, CustomTestStringConvertible {
    case idleEmpty, idleWithQueue, idleAfterFailure, idleWithSource, idleWhileRemembering
    case preparing, preparingPaused, preparingCued
    case ready
    case playing, playingQuietHours, playingAlarm
    case paused, pausedByStandby, pausedByInterruption, pausedWithoutOutput, pausedQuietHours, pausedTagsOnly
    case buffering, bufferingPaused
    case seeking, seekingPaused
    case preparingManualFade, preparingAutomaticFade
    case crossfading, crossfadingQuickly
    case crossfadePausedEarly, crossfadePausedLate
    case fadingOut, fadingOutRemoved, fadingOutRemovedWithOthers
    case finished, finishedInTheMiddle, finishedRemoved
    case failedAlone, failedLast, failedWhilePaused, failedStorage, failedNetwork

    var testDescription: String { rawValue }

    /// The state's name as `status` prints it.
    var state: String {
      switch self {
      case .preparingManualFade, .preparingAutomaticFade: PlayerState.Kind.preparingCrossfade.name
      default:
        PlayerState.Kind.allCases.map(\.name).filter { rawValue.hasPrefix($0) }.max { $0.count < $1.count }
          ?? ""
      }
    }
  }

  /// Types a line and returns the response, advancing the clock as little as possible.
  private func say(_ bench: Bench, _ line: String) -> String {
    bench.wire.type(line)
    var text = ""
    _ = bench.clock.run {
      text += bench.wire.takeText()
      return text.split(separator: "\n").contains { $0.hasPrefix("ok") || $0.hasPrefix("error") }
    }
    return text
  }

  private func state(_ bench: Bench) -> PlayerState? { bench.box?.openedPlayer?.machine.state }

  private func reach(_ bench: Bench, _ kind: PlayerState.Kind) throws {
    try #require(bench.clock.run { state(bench)?.kind == kind }, "\(String(describing: state(bench)))")
  }

  /// Returns a box in the situation.
  private func bench(_ situation: Situation) throws -> Bench {
    let storage = Bench.storage(
      "set media.removable /media\nset stop.fade 10\nset fade.quick-finish 50\nsource line exec \"receive\"\n"
    )
    let station = SimulatedStation()
    storage.tracks["http://radio/"] = SimulatedTrack(seconds: 36_000, level: 0.5, station: station)
    storage.tracks["/music/bad"] = SimulatedTrack(seconds: 30, level: 0.5, failure: .corrupt)
    storage.tracks["/media/stick/track"] = SimulatedTrack(seconds: 60, level: 0.5)
    // The content that `play` finds while the queue is empty.
    storage.folders["/music"] = 1
    storage.tracks["/music/track"] = SimulatedTrack(seconds: 30, level: 0.5)
    if situation == .idleWhileRemembering { storage.stateHangs = true }
    let bench = try Bench(storage)
    func ask(_ lines: String...) { for line in lines { _ = bench.ask(line) } }
    func handle(_ event: PlayerEvent) { bench.box?.openedPlayer?.handle(event) }
    /// Plays both tracks until a fade between them is running.
    func fade(for seconds: Double) throws {
      ask("set fade.manual-length 10", "queue add /music/short /music/long", "play")
      _ = say(bench, "next")
      try reach(bench, .crossfading)
      bench.clock.run(seconds: seconds)
    }
    switch situation {
    case .idleEmpty: break
    case .idleWithQueue: ask("queue add /music/short /music/long", "stop")
    case .idleAfterFailure:
      ask("play /music/bad", "stop")
      storage.tracks["/music/bad"]?.failure = nil
    case .idleWithSource:
      let sender = SimulatedSender()
      bench.machine.senders["receive"] = sender
      bench.clock.run(seconds: 10)
      sender.level = 0.3
      bench.clock.run(seconds: 1)
    case .idleWhileRemembering: bench.clock.run(seconds: 2)
    case .preparing, .preparingPaused:
      bench.wire.type("play /music/long")
      try reach(bench, .preparing)
      _ = bench.wire.takeText()
      if situation == .preparingPaused { handle(.pause) }
    case .preparingCued:
      bench.wire.type("queue add /music/long")
      try reach(bench, .preparing)
      _ = bench.wire.takeText()
    case .ready: ask("queue add /music/short /music/long")
    case .playing: ask("play /music/long")
    case .playingQuietHours:
      ask("play /music/long", "limits lift 60", "set limits.quiet-from 00:00", "set limits.quiet-to 23:59")
    case .playingAlarm:
      bench.machine.minuteOfDay = 6 * 60 + 59
      bench.machine.wallClock.signal()
      ask("alarm 07:00 daily play /music/long", "set limits.quiet-from 00:00", "set limits.quiet-to 23:59")
      bench.clock.run(seconds: 100)
    case .paused: ask("play /music/long", "pause")
    case .pausedByStandby: ask("play /music/long", "standby")
    case .pausedByInterruption: ask("play /music/long", "interruption begin")
    case .pausedWithoutOutput:
      ask("play /music/long")
      bench.machine.hasCard = false
      handle(.outputLost)
    case .pausedQuietHours:
      ask("play /music/long", "pause", "set limits.quiet-from 00:00", "set limits.quiet-to 23:59")
    case .pausedTagsOnly: ask("play /music/long", "pause", "set limits.tags-only on")
    case .buffering, .bufferingPaused:
      ask("play http://radio/")
      bench.clock.run(seconds: 1)
      station.isOn = false
      try reach(bench, .buffering)
      if situation == .bufferingPaused { handle(.pause) }
    case .seeking, .seekingPaused:
      ask("play /music/long")
      if situation == .seekingPaused { ask("pause") }
      _ = say(bench, "seek 600")
      try reach(bench, .seeking)
    case .preparingManualFade:
      ask("set fade.manual-length 10", "queue add /music/short /music/long", "play")
      _ = say(bench, "next")
      try reach(bench, .preparingCrossfade)
    case .preparingAutomaticFade:
      ask("set fade.length 5", "queue add /music/short /music/long", "play")
      try reach(bench, .preparingCrossfade)
    case .crossfading: try fade(for: 1)
    case .crossfadingQuickly:
      try fade(for: 1)
      _ = say(bench, "finish-fade")
    case .crossfadePausedEarly:
      try fade(for: 1)
      ask("pause")
    case .crossfadePausedLate:
      try fade(for: 8)
      ask("pause")
    case .fadingOut: ask("play /music/long", "stop")
    case .fadingOutRemoved: ask("play /music/long", "queue clear")
    case .fadingOutRemovedWithOthers:
      ask("queue add /music/short /music/long", "queue jump 2", "queue remove 2")
    case .finished:
      ask("play /music/short")
      bench.clock.run(seconds: 40)
    case .finishedInTheMiddle:
      ask("queue add /music/short /music/long", "play", "stop")
      bench.clock.run(seconds: 12)
    case .finishedRemoved:
      ask("play /music/long", "queue clear")
      bench.clock.run(seconds: 12)
    case .failedAlone, .failedWhilePaused:
      ask("play /music/bad")
      if situation == .failedWhilePaused { ask("pause") }
      storage.tracks["/music/bad"]?.failure = nil
    case .failedLast:
      ask("queue add /music/short /music/bad", "queue jump 2")
      storage.tracks["/music/bad"]?.failure = nil
    case .failedStorage:
      bench.machine.mounts.points = ["/media/stick"]
      ask("play /media/stick/track")
      bench.machine.mounts.points = []
      bench.clock.run(seconds: 1)
    case .failedNetwork:
      station.isOn = false
      ask("play http://radio/")
      station.isOn = true
    }
    return bench
  }

  /// The command line of an action.
  private func line(_ action: PlayerAction) -> String {
    switch action {
    case .load: "play /music/long"
    case .seek: "seek 0"
    default: action.name
    }
  }

  @Test(arguments: Situation.allCases)
  func theListedActionsAreTheAcceptedOnes(situation: Situation) throws {
    for action in PlayerAction.allCases {
      let bench = try bench(situation)
      let status = say(bench, "status")
      func field(_ name: String) -> String? {
        for line in status.split(separator: "\n") {
          let words = line.split(separator: " ", omittingEmptySubsequences: true)
          if words.first == "\(name):" { return words.dropFirst().joined(separator: " ") }
        }
        return nil
      }
      try #require(field("state") == situation.state, "\(status)")
      let listed = try #require(field("actions")).split(separator: " ").map(String.init)
      #expect(field("active") == (try #require(state(bench)).isActive ? "yes" : "no"))
      let reply = say(bench, line(action))
      let isAccepted = reply.split(separator: "\n").contains { $0.hasPrefix("ok") }
      #expect(listed.contains(action.name) == isAccepted, "\(action.name): \(reply)")
    }
  }

  /// A button press is checked by the same rule as a console line: an action that is not listed is refused.
  @Test(arguments: Situation.allCases)
  func aButtonIsRefusedWhatIsNotListed(situation: Situation) throws {
    let bench = try bench(situation)
    let commands = try #require(bench.box?.owners.commands)
    for action in PlayerAction.allCases where !commands.accepts(action.command) {
      let before = state(bench)
      let reply = commands.performFromButton(action.command)
      #expect(!reply.isOK, "\(action.name)")
      // A press of play always ends an alarm, and its music.
      guard situation != .playingAlarm else { continue }
      #expect(state(bench) == before, "\(action.name) is refused and does something")
    }
  }
}
