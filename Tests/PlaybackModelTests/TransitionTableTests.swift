// The table of the playback model, restated as data: each row a state, in it what every event does.
// Whatever a row does not name must be rejected.
import PlaybackModel
import Testing

struct Row: Sendable, CustomTestStringConvertible {
  let name: String
  let state: PlayerState
  var fadesManually = false
  /// Expected kind of state to the events that lead there. "~": the same kind with other contents;
  /// "=": understood, nothing changes.
  let expected: [String: String]
  var testDescription: String { name }
}

private let notSounding =
  "interruption interruptionOver interruptionOverStay standby wake outputLost outputRestored"
private let holds = "interruption standby outputLost"
private let releases = "interruptionOver interruptionOverStay wake outputRestored"
private let allStorage = "storageOfOne storageOfTwo storageOfBoth otherStorage"
private let failures = "didFail currentFailed outputFails storageOfOne storageOfBoth"
private let ends = "stop unload skipPastEnd sleepTimer"

let table: [Row] = [
  Row(
    name: "idle", state: .idle(cause: nil, armed: .disarmed),
    expected: [
      "preparing": "load skip", "~": "play toggle",
      "=": "pause stop unload skipPastEnd sleepTimer powerFailing \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "idle, armed", state: .idle(cause: nil, armed: .armed),
    expected: [
      "preparing": "load skip", "~": "pause toggle",
      "=": "play stop unload skipPastEnd sleepTimer powerFailing \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "idle after an error", state: .idle(cause: corrupt, armed: .disarmed),
    expected: [
      "preparing": "load skip", "~": "play toggle unload",
      "=": "pause stop skipPastEnd sleepTimer powerFailing \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "preparing to play", state: .preparing(track: one, intent: .play, start: .zero),
    expected: [
      "idle": ends, "failed": failures, "playing": "didPrepare", "~": "load skip seek pause toggle \(holds)",
      "=": "play powerFailing storageOfTwo otherStorage \(releases)",
    ]),
  Row(
    name: "preparing to be ready", state: .preparing(track: one, intent: .pause(.user), start: .zero),
    expected: [
      "idle": ends, "failed": failures, "ready": "didPrepare", "~": "load skip seek play toggle",
      "=": "pause powerFailing storageOfTwo otherStorage \(holds) \(releases)",
    ]),
  Row(
    name: "preparing during an interruption",
    state: .preparing(track: one, intent: .pause(.interruption), start: .zero),
    expected: [
      "idle": ends, "failed": failures, "paused": "didPrepare",
      "~": "load skip seek play toggle pause standby interruptionOver interruptionOverStay",
      "=": "powerFailing storageOfTwo otherStorage interruption outputLost wake outputRestored",
    ]),
  Row(
    name: "ready", state: .ready(track: one, position: .zero),
    expected: [
      "playing": "play toggle", "idle": ends, "preparing": "skip load", "seeking": "seek",
      "failed": failures,
      "=":
        "pause powerFailing didPrepareNext didFailNext nextFailed storageOfTwo otherStorage \(notSounding)",
    ]),
  Row(
    name: "playing", state: .playing(track: one),
    expected: [
      "paused": "pause toggle \(holds)", "fadingOut": ends, "preparing": "skip load", "seeking": "seek",
      "buffering": "didStarve", "preparingCrossfade": "nextDue", "~": "didAdvance",
      "finished": "didReachEnd currentEnded", "failed": failures, "crossfading": "fadeBegan strangeFadeBegan",
      "=":
        "play powerFailing didPrepareNext didFailNext nextFailed fadeCompleted fadeOutCompleted storageOfTwo "
        + "otherStorage \(releases)",
    ]),
  Row(
    name: "playing with manual fades", state: .playing(track: one), fadesManually: true,
    expected: [
      "paused": "pause toggle \(holds)", "fadingOut": ends, "preparingCrossfade": "skip load nextDue",
      "seeking": "seek", "buffering": "didStarve", "~": "didAdvance",
      "finished": "didReachEnd currentEnded", "failed": failures, "crossfading": "fadeBegan strangeFadeBegan",
      "=":
        "play powerFailing didPrepareNext didFailNext nextFailed fadeCompleted fadeOutCompleted storageOfTwo "
        + "otherStorage \(releases)",
    ]),
  Row(
    name: "paused by a person", state: .paused(track: one, position: Frames(9), reason: .user),
    expected: pausedRow("play toggle", changes: "", keeps: "pause \(holds) \(releases)")),
  Row(
    name: "paused by an interruption",
    state: .paused(track: one, position: Frames(9), reason: .interruption),
    expected: pausedRow(
      "play toggle interruptionOver", changes: "pause standby interruptionOverStay",
      keeps: "interruption outputLost wake outputRestored")),
  Row(
    name: "paused by standby", state: .paused(track: one, position: Frames(9), reason: .standby),
    expected: pausedRow(
      "play toggle wake", changes: "pause",
      keeps: "interruption standby outputLost interruptionOver interruptionOverStay outputRestored")),
  Row(
    name: "paused for want of an output",
    state: .paused(track: one, position: Frames(9), reason: .outputLost),
    expected: pausedRow(
      "outputRestored", changes: "pause interruption standby",
      keeps: "play toggle outputLost interruptionOver interruptionOverStay wake")),
  Row(
    name: "buffering to play", state: .buffering(track: one, intent: .play),
    expected: [
      "idle": ends, "preparing": "skip load", "seeking": "seek", "playing": "didRefill", "failed": failures,
      "finished": "didReachEnd currentEnded", "crossfading": "fadeBegan strangeFadeBegan",
      "~": "pause toggle \(holds)",
      "=":
        "play didPrepareNext didFailNext nextFailed didStarve fadeCompleted fadeOutCompleted powerFailing "
        + "storageOfTwo otherStorage \(releases)",
    ]),
  Row(
    name: "buffering, paused", state: .buffering(track: one, intent: .pause(.user)),
    expected: [
      "idle": ends, "preparing": "skip load", "seeking": "seek", "paused": "didRefill", "failed": failures,
      "finished": "didReachEnd currentEnded", "crossfadePaused": "fadeBegan strangeFadeBegan",
      "~": "play toggle",
      "=":
        "pause didPrepareNext didFailNext nextFailed didStarve fadeCompleted fadeOutCompleted powerFailing "
        + "storageOfTwo otherStorage \(holds) \(releases)",
    ]),
  Row(
    name: "seeking to play", state: .seeking(track: one, target: Frames(5), intent: .play),
    expected: [
      "idle": ends, "preparing": "skip load", "playing": "didSeek", "failed": failures,
      "~": "seek pause toggle \(holds)", "=": "play \(lateWhileSeeking) \(releases)",
    ]),
  Row(
    name: "seeking, paused", state: .seeking(track: one, target: Frames(5), intent: .pause(.user)),
    expected: [
      "idle": ends, "preparing": "skip load", "paused": "didSeek", "failed": failures,
      "~": "seek play toggle", "=": "pause \(lateWhileSeeking) \(holds) \(releases)",
    ]),
  Row(
    name: "preparingCrossfade, manual",
    state: .preparingCrossfade(current: one, next: two, plan: PlannedFade(.manual, tenSeconds)),
    expected: preparingCrossfadeRow(cued: "crossfading", starved: "preparing")),
  Row(
    name: "preparingCrossfade, automatic",
    state: .preparingCrossfade(current: one, next: two, plan: PlannedFade(.automatic, tenSeconds)),
    expected: preparingCrossfadeRow(cued: "~", starved: "buffering")),
  Row(
    name: "preparingCrossfade, armed",
    state: .preparingCrossfade(
      current: one, next: two, plan: PlannedFade(.automatic, tenSeconds, isArmed: true)),
    expected: preparingCrossfadeRow(cued: "=", starved: "buffering")),
  Row(
    name: "crossfading", state: fading(20),
    expected: crossfadingRow(skip: "preparing", finish: "~")),
  Row(
    name: "crossfading with manual fades", state: fading(20), fadesManually: true,
    expected: crossfadingRow(skip: "preparingCrossfade", finish: "~")),
  Row(
    name: "crossfading, finishing quickly", state: fading(20, canQuickFinish: false),
    expected: crossfadingRow(skip: "preparing", finish: nil)),
  Row(
    name: "crossfadePaused by a person", state: held(30, .user),
    expected: crossfadePausedRow("play toggle", changes: "", keeps: "pause \(holds) \(releases)")),
  Row(
    name: "crossfadePaused by an interruption", state: held(70, .interruption),
    expected: crossfadePausedRow(
      "play toggle interruptionOver", changes: "pause standby interruptionOverStay",
      keeps: "interruption outputLost wake outputRestored")),
  Row(
    name: "crossfadePaused for want of an output", state: held(70, .outputLost),
    expected: crossfadePausedRow(
      "outputRestored", changes: "pause interruption standby",
      keeps: "play toggle outputLost interruptionOver interruptionOverStay wake")),
  Row(
    name: "fadingOut", state: .fadingOut(track: one, duration: Frames(24_000)),
    expected: [
      "playing": "play toggle", "paused": "pause", "preparing": "skip load",
      "finished": "stop unload skipPastEnd fadeOutCompleted \(holds)", "~": "didAdvance",
      "=":
        "sleepTimer powerFailing didFail outputFails currentFailed nextFailed didFailNext didStarve didRefill "
        + "didPrepareNext fadeBegan strangeFadeBegan fadeCompleted currentEnded nextEnded didReachEnd "
        + "\(releases) \(allStorage)",
    ]),
  Row(
    name: "finished", state: .finished(last: one),
    expected: [
      "preparing": "play toggle skip load seek", "idle": "stop unload sleepTimer",
      "=": "pause skipPastEnd powerFailing fadeOutCompleted \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "failed for good", state: .failed(error: corrupt, track: one, position: Frames(9)),
    expected: [
      "preparing": "skip load", "idle": "stop sleepTimer reset unload",
      "=": "pause skipPastEnd powerFailing \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "failed for now",
    state: .failed(error: PlaybackError(.network), track: one, position: Frames(9)),
    expected: [
      "preparing": "skip load play toggle retry", "idle": "stop sleepTimer reset unload",
      "=": "pause skipPastEnd powerFailing \(notSounding) \(allStorage)",
    ]),
  Row(
    name: "failed for want of an output",
    state: .failed(error: PlaybackError(.outputUnavailable), track: one, position: Frames(9)),
    expected: [
      "preparing": "skip load play toggle retry outputRestored", "idle": "stop sleepTimer reset unload",
      "=":
        "pause skipPastEnd powerFailing interruption interruptionOver interruptionOverStay standby wake "
        + "outputLost \(allStorage)",
    ]),
]

private let lateWhileSeeking =
  "didPrepareNext didFailNext nextFailed didStarve didRefill didAdvance fadeBegan strangeFadeBegan "
  + "fadeCompleted currentEnded nextEnded fadeOutCompleted didReachEnd powerFailing storageOfTwo otherStorage"

private func pausedRow(_ plays: String, changes: String, keeps: String) -> [String: String] {
  [
    "playing": plays, "idle": ends, "preparing": "skip load", "seeking": "seek", "buffering": "didStarve",
    "failed": failures, "finished": "didReachEnd currentEnded",
    "crossfadePaused": "fadeBegan strangeFadeBegan", "~": "didAdvance " + changes,
    "=":
      "didPrepareNext didFailNext nextFailed fadeCompleted fadeOutCompleted powerFailing storageOfTwo "
      + "otherStorage " + keeps,
  ]
}

private func preparingCrossfadeRow(cued: String, starved: String) -> [String: String] {
  var row = [
    "paused": "pause toggle \(holds)", "fadingOut": ends, "~": "skip load", "seeking": "seek",
    "crossfading": "fadeBegan", "playing": "didFailNext nextFailed storageOfTwo didAdvance",
    "preparing": "didFail currentFailed currentEnded didReachEnd storageOfOne",
    "failed": "outputFails storageOfBoth",
    "=": "play fadeCompleted fadeOutCompleted powerFailing otherStorage \(releases)",
  ]
  row[cued, default: ""] += " didPrepareNext"
  row[starved, default: ""] += " didStarve"
  return row
}

private func crossfadingRow(skip: String, finish: String?) -> [String: String] {
  var row = [
    "crossfadePaused": "pause toggle \(holds)", "fadingOut": ends, "seeking": "seek",
    "playing": "fadeCompleted didAdvance didFailNext nextFailed storageOfTwo",
    "failed": "outputFails storageOfBoth",
    "=":
      "play fadeBegan didFail currentFailed storageOfOne currentEnded nextEnded didReachEnd didStarve didRefill "
      + "fadeOutCompleted powerFailing otherStorage \(releases)",
  ]
  row[skip, default: ""] += " skip load"
  if let finish { row[finish, default: ""] += " finishFade" }
  return row
}

private func crossfadePausedRow(_ plays: String, changes: String, keeps: String) -> [String: String] {
  [
    "crossfading": plays, "idle": ends, "preparing": "skip load", "seeking": "seek",
    "paused":
      "didFail currentFailed storageOfOne didFailNext nextFailed storageOfTwo fadeCompleted didAdvance",
    "failed": "outputFails storageOfBoth", "~": changes,
    "=":
      "didPrepare didPrepareNext fadeBegan currentEnded nextEnded didReachEnd didStarve didRefill fadeOutCompleted "
      + "powerFailing otherStorage " + keeps,
  ]
}

@Suite struct TransitionTableTests {
  @Test(arguments: table)
  func everyEvent(row: Row) throws {
    var expectations: [String: String] = [:]
    for (target, names) in row.expected {
      for name in names.split(separator: " ").map(String.init) {
        try #require(expectations[name] == nil, "\(name) stands twice in the row")
        try #require(events.contains { $0.name == name }, "\(name) is no event")
        expectations[name] = target
      }
    }
    for (name, event) in events {
      var settings = PlayerSettings(rate: rate)
      settings.fadesManually = row.fadesManually
      var machine = PlayerStateMachine(state: row.state, settings: settings)
      let outcome = machine.handle(event, at: moment())
      let found: String
      switch outcome.verdict {
      case .rejected(let reason):
        found = "rejected"
        #expect(outcome.effects.isEmpty && outcome.state == row.state)
        #expect(!reason.sentence.isEmpty)
      case .unchanged:
        found = "="
        #expect(outcome.state == row.state, "\(name)")
      case .changed:
        found = outcome.state.kind == row.state.kind ? "~" : outcome.state.kind.name
        #expect(outcome.state != row.state, "\(name) claims a change")
        #expect(outcome.effects.last == .checkpoint, "\(name) leaves no checkpoint")
      }
      #expect(outcome.state.isValid, "\(name)")
      #expect(found == expectations[name] ?? "rejected", "\(row.name) on \(name)")
      #expect(machine.state == outcome.state)
    }
  }

  @Test func theTableNamesEveryKindOfStateAndEvent() {
    #expect(Set(table.map(\.state.kind)) == Set(PlayerState.Kind.allCases))
    #expect(Set(events.map(\.event.kind)) == Set(PlayerEvent.Kind.allCases))
  }
}
