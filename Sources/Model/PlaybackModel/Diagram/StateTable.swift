// Generates the transition table by running the state machine, so that the documentation matches the code. Pure;
// control thread, on demand.

/// Results of the state machine per kind of state and kind of event, over representative examples of both.
package struct StateTable: Sendable {
  /// A possible result of an event.
  package enum Reaction: Hashable, Sendable {
    /// Changes to a state of another kind.
    case goes(PlayerState.Kind)
    /// Keeps the kind of state and changes its contents, such as the intent.
    case adjusts
    /// Accepted without effect.
    case stays
    /// Rejected.
    case rejects
  }

  private var cells: [[Reaction]]
  private var acceptances: [Acceptance]

  /// Runs the state machine over all pairs of examples.
  package init() {
    let events = PlayerEvent.Kind.allCases.count
    cells = [[Reaction]](repeating: [], count: PlayerState.Kind.allCases.count * events)
    for fadesManually in [false, true] {
      var settings = PlayerSettings()
      settings.fadesManually = fadesManually
      for state in Examples.states {
        for event in Examples.events {
          var machine = PlayerStateMachine(state: state, settings: settings)
          let outcome = machine.handle(event, at: Examples.moment)
          let reaction: Reaction =
            switch outcome.verdict {
            case .rejected: .rejects
            case .unchanged: .stays
            case .changed: outcome.state.kind == state.kind ? .adjusts : .goes(outcome.state.kind)
            }
          let cell = Int(state.kind.rawValue) * events + Int(event.kind.rawValue)
          if !cells[cell].contains(reaction) { cells[cell].append(reaction) }
        }
      }
    }
    acceptances = []
    for state in PlayerState.Kind.allCases {
      for action in PlayerAction.allCases { acceptances.append(Acceptance(of: action, in: state)) }
    }
  }

  /// The condition under which an action is accepted in a kind of state.
  package func acceptance(in state: PlayerState.Kind, of action: PlayerAction) -> Acceptance {
    acceptances[Int(state.rawValue) * PlayerAction.allCases.count + Int(action.rawValue)]
  }

  /// All possible results of an event in a kind of state.
  package func reactions(in state: PlayerState.Kind, to event: PlayerEvent.Kind) -> [Reaction] {
    cells[Int(state.rawValue) * PlayerEvent.Kind.allCases.count + Int(event.rawValue)]
  }

  /// The events that can change one kind of state to another.
  package func events(from: PlayerState.Kind, to: PlayerState.Kind) -> [PlayerEvent.Kind] {
    PlayerEvent.Kind.allCases.filter { reactions(in: from, to: $0).contains(.goes(to)) }
  }

  /// The table as Markdown, with one row per event and one column per state.
  package func markdownTable() -> String {
    var text =
      "<!-- Printed by `swiftlet states`; made by running the state machine. -->\n\n" + actionTable()
      + "\n## Events\n\n"
      + "A name is the state it goes to, `↻` the same state with other contents (an intent, a position, a\n"
      + "reason), `·` understood and nothing to do, `✗` rejected. Several entries: it depends on the\n"
      + "contents. A blank cell: always rejected.\n"
    for origin in PlayerEvent.Origin.allCases {
      let title =
        switch origin {
        case .user: "A person, or the queue for a person"
        case .system: "The engine's own parts"
        case .external: "The world outside"
        }
      text += "\n**" + title + "**\n\n| event |"
      for state in PlayerState.Kind.allCases { text += " " + state.name + " |" }
      text += "\n|---|"
      for _ in PlayerState.Kind.allCases { text += "---|" }
      text += "\n"
      for event in PlayerEvent.Kind.allCases where event.origin == origin {
        text += "| " + event.name + " |"
        for state in PlayerState.Kind.allCases { text += cellText(state, event) }
        text += "\n"
      }
    }
    return text
  }

  /// The accepted commands as Markdown, with one row per command and one column per state.
  private func actionTable() -> String {
    var text =
      "## Commands\n\n"
      + "`✓` accepted, blank refused. Otherwise accepted if one of these is there: `queue`, an entry of the queue; `next` and\n"
      + "`previous`, an entry in this direction; `track`, the track that was stopped or has ended, still in the queue; `source`, a\n"
      + "live source that sounds. `contents`: depends on the contents of the state, as the table of events shows.\n\n| command |"
    for state in PlayerState.Kind.allCases { text += " " + state.name + " |" }
    text += "\n|---|"
    for _ in PlayerState.Kind.allCases { text += "---|" }
    text += "\n"
    for action in PlayerAction.allCases {
      text += "| " + (action == .load ? "play PATH" : action.name) + " |"
      for state in PlayerState.Kind.allCases {
        let mark = acceptance(in: state, of: action).mark
        text += mark.utf8.isEmpty ? " |" : " " + mark + " |"
      }
      text += "\n"
    }
    return text
  }

  private func cellText(_ state: PlayerState.Kind, _ event: PlayerEvent.Kind) -> String {
    var parts: [String] = []
    let reactions = reactions(in: state, to: event)
    for kind in PlayerState.Kind.allCases where reactions.contains(.goes(kind)) { parts.append(kind.name) }
    if reactions.contains(.adjusts) { parts.append("↻") }
    if reactions.contains(.stays) { parts.append("·") }
    if parts.isEmpty { return " |" }
    if reactions.contains(.rejects) { parts.append("✗") }
    var text = " "
    for (i, part) in parts.enumerated() { text += (i > 0 ? " / " : "") + part }
    return text + " |"
  }

  /// The diagram in Graphviz's DOT language, with one edge per pair of states.
  package func dot() -> String {
    var text = "// Printed by `swiftlet states --dot`; made by running the state machine.\n"
    text +=
      "digraph player {\n  rankdir=LR;\n  node [shape=box, style=\"rounded,filled\", fillcolor=white];\n"
    for state in PlayerState.Kind.allCases {
      text += "  " + state.name + " [fillcolor=\"" + DiagramColours.of(state).fill + "\"];\n"
    }
    for from in PlayerState.Kind.allCases {
      for to in PlayerState.Kind.allCases where from != to {
        let events = events(from: from, to: to)
        guard !events.isEmpty else { continue }
        text += "  " + from.name + " -> " + to.name + " [label=\""
        for (i, event) in events.enumerated() { text += (i > 0 ? "\\n" : "") + event.name }
        text += "\"];\n"
      }
    }
    return text + "}\n"
  }
}

/// The condition under which an action is accepted in a kind of state.
package enum Acceptance: Hashable, Sendable, CaseIterable {
  case always, never
  /// If the queue is not empty.
  case withQueue
  /// If the queue is not empty or a live input plays.
  case withQueueOrSource
  /// If the queue is not empty or the stopped or ended track is still in it.
  case withQueueOrTrack
  /// If the stopped or ended track is still in the queue.
  case withTrack
  /// If the queue has a track after, or before, the current one.
  case withNext, withPrevious
  /// Depends on the contents of the state.
  case byContents

  init(of action: PlayerAction, in kind: PlayerState.Kind) {
    var cases: [(holdings: PlayerHoldings, isAccepted: Bool)] = []
    for state in Examples.states where state.kind == kind {
      let machine = PlayerStateMachine(state: state)
      for holdings in Examples.holdings(in: state) {
        let refusal = machine.refusal(of: action, with: holdings, at: Examples.moment)
        cases.append((holdings, refusal == nil))
      }
    }
    self =
      Acceptance.allCases.first { acceptance in
        cases.allSatisfy { acceptance.isAccepted(with: $0.holdings) == $0.isAccepted }
      } ?? .byContents
  }

  /// Whether the action is accepted with these holdings; nil if it depends on the contents of the state.
  package func isAccepted(with holdings: PlayerHoldings) -> Bool? {
    switch self {
    case .always: true
    case .never: false
    case .withQueue: holdings.hasQueue
    case .withQueueOrSource: holdings.hasQueue || holdings.hasLiveSource
    case .withQueueOrTrack: holdings.hasQueue || !holdings.isEndedTrackRemoved
    case .withTrack: !holdings.isEndedTrackRemoved
    case .withNext: holdings.hasNext
    case .withPrevious: holdings.hasPrevious
    case .byContents: nil
    }
  }

  /// The table cell.
  var mark: String {
    switch self {
    case .always: "✓"
    case .never: ""
    case .withQueue: "queue"
    case .withQueueOrSource: "queue / source"
    case .withQueueOrTrack: "queue / track"
    case .withTrack: "track"
    case .withNext: "next"
    case .withPrevious: "previous"
    case .byContents: "contents"
    }
  }
}

/// Example states and events that cover every case of the rules.
enum Examples {
  static var current: Track { Track(id: 1, path: "/media/a/one.flac") }
  static var next: Track { Track(id: 2, path: "/media/b/two.flac") }
  static var other: Track { Track(id: 3, path: "/media/c/three.flac") }

  static var moment: Moment {
    Moment(
      time: 1, current: Frames(480_000), next: Frames(4800),
      fade: FadeProgress(index: Frames(4800), length: fade.length))
  }

  static var fade: Fade { Fade(length: Frames(240_000), curve: .equalPower) }

  /// All combinations of holdings that are possible in a state. A failed, ended or playing track may have been removed
  /// from the queue.
  static func holdings(in state: PlayerState) -> [PlayerHoldings] {
    let isOver = state.kind == .finished || state.kind == .fadingOut
    var all: [PlayerHoldings] = []
    for bits in 0..<32 {
      func bit(_ n: Int) -> Bool { bits & 1 << n != 0 }
      let holdings = PlayerHoldings(
        hasQueue: bit(0), hasNext: bit(1), hasPrevious: bit(2), isEndedTrackRemoved: bit(3),
        hasLiveSource: bit(4))
      guard holdings.hasQueue || (!holdings.hasNext && !holdings.hasPrevious) else { continue }
      // These flags have no effect in other states.
      guard isOver || !holdings.isEndedTrackRemoved else { continue }
      guard !holdings.hasLiveSource || state.currentTrack == nil else { continue }
      all.append(holdings)
    }
    return all
  }

  static var states: [PlayerState] {
    let somewhere = Frames(48_000)
    let intents = [Intent.play, .cue] + PauseReason.allCases.map { Intent.pause($0) }
    let broken = PlaybackError(.corrupt, path: current.path)
    var states: [PlayerState] = [
      .idle(cause: nil, armed: .disarmed), .idle(cause: nil, armed: .armed),
      .idle(cause: broken, armed: .disarmed), .ready(track: current, position: .zero),
      .playing(track: current), .fadingOut(track: current, duration: Frames(24_000)),
      .finished(last: current),
      .failed(error: broken, track: current, position: somewhere, intent: .play),
      .failed(error: PlaybackError(.network), track: current, position: somewhere, intent: .play),
      .failed(error: PlaybackError(.network), track: current, position: somewhere, intent: .pause(.user)),
      .failed(
        error: PlaybackError(.network), track: current, position: somewhere, intent: .pause(.interruption)),
      .failed(error: PlaybackError(.outputUnavailable), track: current, position: somewhere, intent: .play),
      .failed(error: PlaybackError(.outputUnavailable), track: nil, position: .zero, intent: .play),
    ]
    for intent in intents {
      states.append(.preparing(track: current, intent: intent, start: .zero))
      states.append(.buffering(track: current, intent: intent))
      states.append(.seeking(track: current, target: somewhere, intent: intent))
    }
    for plan in [
      PlannedFade(.manual, fade), PlannedFade(.manual, fade, isArmed: true),
      PlannedFade(.automatic, fade, isArmed: true),
    ] {
      states.append(.preparingCrossfade(current: current, next: next, plan: plan))
    }
    for pace in FadePace.allCases {
      states.append(
        .crossfading(
          from: current, to: next, curve: fade.curve,
          progress: FadeProgress(index: Frames(2400), length: fade.length), pace: pace))
    }
    for reason in PauseReason.allCases {
      states.append(.paused(track: current, position: somewhere, reason: reason))
      for (index, strategy) in [(60_000, ResumeStrategy.continueFromProgress), (180_000, .quickFinish)] {
        let snapshot = CrossfadeSnapshot(
          from: 1, to: 2, fromPosition: somewhere, toPosition: Frames(4800),
          progress: FadeProgress(index: Frames(Int64(index)), length: fade.length), curve: fade.curve,
          rate: SampleRate(48000), deck: .a, time: 0)
        states.append(
          .crossfadePaused(from: current, to: next, strategy: strategy, snapshot: snapshot, reason: reason))
      }
    }
    return states
  }

  static var events: [PlayerEvent] {
    let broken = PlaybackError(.corrupt)
    let first = DecoderDeath(PlaybackError(.decoderCrashed), count: 1, isInTime: true)
    let second = DecoderDeath(PlaybackError(.decoderCrashed), count: 2, isInTime: true)
    return [
      .load(other, at: .zero), .load(nil, at: .zero), .play, .pause, .toggle, .stop, .skip(to: other),
      .skip(to: nil), .seek(Frames(96_000)), .retry, .reset, .finishFade,
      .removed(current, next: other), .removed(current, next: nil), .removed(next, next: other),
      .removed(next, next: nil),
      .didPrepare, .didFail(broken), .didFail(PlaybackError(.outputUnavailable)), .didStarve, .didRefill,
      .didSeek, .didAdvance(next), .didPrepareNext, .didFailNext(broken),
      .decoderDied(first), .decoderDied(second), .nextDecoderDied(first), .nextDecoderDied(second),
      .nextDue(next, fade: fade),
      .nextDue(other, fade: fade), .nextWithdrawn,
      .crossfadeBegan(to: next, fade: fade), .crossfadeCompleted, .fadeOutCompleted, .didReachEnd(next: nil),
      .didReachEnd(next: next), .queueMovedOn(to: other),
      .interruptionBegan, .interruptionEnded(shouldResume: true), .interruptionEnded(shouldResume: false),
      .standby, .wake, .outputLost, .outputRestored, .storageRemoved(path: "/media"),
      .storageRemoved(path: "/media/a"), .storageRemoved(path: "/media/b"),
      .storageRemoved(path: "/elsewhere"), .powerFailing, .sleepTimerFired,
      .announcementBegan, .announcementEnded, .liveInputBegan, .liveInputEnded,
    ]
  }
}

/// Colours of the diagram's boxes; crossfade states stand out.
enum DiagramColours {
  static func of(_ state: PlayerState.Kind) -> (fill: String, line: String) {
    switch state {
    case .preparingCrossfade, .crossfading, .crossfadePaused: ("#dbeafe", "#1d4ed8")
    case .playing: ("#dcfce7", "#15803d")
    case .preparing, .buffering, .seeking: ("#fef9c3", "#a16207")
    case .failed: ("#fee2e2", "#b91c1c")
    case .fadingOut: ("#f3e8ff", "#7e22ce")
    case .idle, .ready, .paused, .finished: ("#f1f5f9", "#475569")
    }
  }
}
