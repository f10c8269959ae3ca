// Converts script lines to text and back. Pure functions; any thread.

import Daemon
import PlaybackModel

/// Syntax error in a script.
package struct ScriptFault: Error, CustomStringConvertible, Sendable {
  /// A sentence for the user, without a line number.
  package let description: String

  init(_ description: String) { self.description = description }
}

extension Action {
  /// The action as written in a script.
  package var text: String {
    switch self {
    case .play: "play"
    case .pause: "pause"
    case .toggle: "toggle"
    case .stop: "stop"
    case .next: "next"
    case .previous: "previous"
    case .finishFade: "finish-fade"
    case .retry: "retry"
    case .reset: "reset"
    case .seek(let position): "seek \(position)"
    case .seekShare(let percent): "seek \(percent)%"
    case .seekBy(let distance): "seek-by \(distance)"
    case .volume(let percent): "volume \(percent)"
    case .mono(let on): "mono \(on ? "on" : "off")"
    case .curve(let curve): "curve \(curve.name)"
    case .crossfade(let length): "crossfade \(length)"
    case .threshold(let percent): "threshold \(percent)"
    case .add(let track): "queue add \(track)"
    case .insertNext(let track): "queue insert-next \(track)"
    case .insertBefore(let track): "queue insert-before \(track)"
    case .replace(let track): "queue replace \(track)"
    case .remove(let place): "queue remove \(place)"
    case .move(let place, let other): "queue move \(place) \(other)"
    case .clear: "queue clear"
    case .removeUpcoming: "queue remove-upcoming"
    case .shuffle(let on): "shuffle \(on ? "on" : "off")"
    case .repeatMode(let mode): "repeat \(mode.name)"
    case .stopPoint(let point): "stop-after \(point?.name ?? "off")"
    case .interrupt: "interrupt"
    case .release(let resumes): "release \(resumes ? "resume" : "stay")"
    case .standby: "standby"
    case .wake: "wake"
    case .sleepTimer: "sleep-timer"
    case .powerFailing: "power-failing"
    case .stickOut: "stick out"
    case .stickIn: "stick in"
    case .powerCut(let length): "power-cut \(length)"
    case .cardLost(let calls): "card lost \(calls)"
    case .cardBack: "card back"
    case .cardDeaf: "card deaf"
    case .cardSuspended: "card suspended"
    case .audioStall(let length): "stall audio \(length)"
    case .controlStall(let length): "stall control \(length)"
    case .storage(let percent): "storage \(percent)"
    case .crashWorkers: "crash-workers"
    case .hangWorkers: "hang-workers"
    case .truncateFiles: "truncate-files"
    case .type(let text): "type \"\(text)\""
    case .typeHalf(let text): "type-half \"\(text)\""
    case .hangUp: "hang-up"
    case .flood(let count): "flood \(count)"
    case .button(let name, let isDown): "button \(name) \(isDown ? "press" : "release")"
    case .turn(let name, let detents): "turn \(name) \(detents)"
    case .noise(let count): "noise \(count)"
    case .serial(let isThere): "serial \(isThere ? "in" : "out")"
    case .keypad(let isThere): "keypad \(isThere ? "in" : "out")"
    case .flash(let health): "flash \(health.rawValue)"
    case .clock(let minute): "clock \(minute)"
    case .cardSwapped: "card swapped"
    case .sender(let name, let action): "sender \(name) \(action.rawValue)"
    case .kill(let length): "kill \(length)"
    case .terminate: "terminate"
    }
  }

  /// Parses an action.
  /// - Parameter words: The tokens of the line after its condition and delay.
  /// - Throws: `ScriptFault` if the action is unknown or an argument is missing or wrong.
  package init(words: [Substring]) throws(ScriptFault) {
    let line = words.joined(separator: " ")
    func number(_ index: Int) throws(ScriptFault) -> Int {
      guard index < words.count, let value = Int(words[index]) else {
        throw ScriptFault("'\(line)' wants a number as word \(index + 1)")
      }
      return value
    }
    func choice<Value>(_ index: Int, _ values: [(String, Value)]) throws(ScriptFault) -> Value {
      guard index < words.count, let found = values.first(where: { words[index] == $0.0 }) else {
        throw ScriptFault("'\(line)' wants one of: \(values.map { $0.0 }.joined(separator: ", "))")
      }
      return found.1
    }
    let isOn = [("on", true), ("off", false)]
    let plain: [Action] = [
      .play, .pause, .toggle, .stop, .next, .previous, .finishFade, .retry, .reset, .clear, .removeUpcoming,
      .interrupt, .standby, .wake, .sleepTimer, .powerFailing, .stickOut, .stickIn, .cardBack, .cardDeaf,
      .cardSuspended, .crashWorkers, .hangWorkers, .truncateFiles, .hangUp, .cardSwapped, .terminate,
    ]
    if let action = plain.first(where: { $0.text == line }) {
      self = action
      return
    }
    func quoted() -> String {
      let text = line.drop { $0 != " " }.drop { $0 == " " || $0 == "\"" }
      return String(text.hasSuffix("\"") ? text.dropLast() : text)
    }
    func word(_ index: Int) throws(ScriptFault) -> String {
      guard index < words.count else { throw ScriptFault("'\(line)' wants word \(index + 1)") }
      return String(words[index])
    }
    switch words.first {
    case "type": self = .type(quoted())
    case "type-half": self = .typeHalf(quoted())
    case "flood": self = .flood(try number(1))
    case "button": self = .button(try word(1), isDown: try choice(2, [("press", true), ("release", false)]))
    case "turn": self = .turn(try word(1), try number(2))
    case "noise": self = .noise(try number(1))
    case "serial": self = .serial(isThere: try choice(1, [("in", true), ("out", false)]))
    case "keypad": self = .keypad(isThere: try choice(1, [("in", true), ("out", false)]))
    case "flash": self = .flash(try choice(1, FlashHealth.allCases.map { ($0.rawValue, $0) }))
    case "clock": self = .clock(try number(1))
    case "sender": self = .sender(try word(1), try choice(2, SenderAction.allCases.map { ($0.rawValue, $0) }))
    case "kill": self = .kill(try number(1))
    case "seek" where words.count == 2 && words[1].hasSuffix("%"):
      guard let percent = Int(words[1].dropLast()) else {
        throw ScriptFault("'\(words[1])' is no share of a track")
      }
      self = .seekShare(percent)
    case "seek": self = .seek(try number(1))
    case "seek-by": self = .seekBy(try number(1))
    case "volume": self = .volume(try number(1))
    case "mono": self = .mono(try choice(1, isOn))
    case "curve": self = .curve(try choice(1, FadeCurve.allCases.map { ($0.name, $0) }))
    case "crossfade": self = .crossfade(try number(1))
    case "threshold": self = .threshold(try number(1))
    case "shuffle": self = .shuffle(try choice(1, isOn))
    case "repeat": self = .repeatMode(try choice(1, RepeatMode.allCases.map { ($0.name, $0) }))
    case "stop-after":
      self = .stopPoint(try choice(1, [("off", nil)] + StopPoint.allCases.map { ($0.name, $0) }))
    case "release": self = .release(try choice(1, [("resume", true), ("stay", false)]))
    case "power-cut": self = .powerCut(try number(1))
    case "storage": self = .storage(try number(1))
    case "card" where words.count == 3 && words[1] == "lost": self = .cardLost(try number(2))
    case "stall":
      let isAudio = try choice(1, [("audio", true), ("control", false)])
      self = isAudio ? .audioStall(try number(2)) : .controlStall(try number(2))
    case "queue" where words.count > 2:
      switch words[1] {
      case "add": self = .add(try number(2))
      case "insert-next": self = .insertNext(try number(2))
      case "insert-before": self = .insertBefore(try number(2))
      case "replace": self = .replace(try number(2))
      case "remove": self = .remove(try number(2))
      case "move": self = .move(try number(2), try number(3))
      default: throw ScriptFault("'\(line)' is nothing that a queue can do")
      }
    default: throw ScriptFault("'\(line)' is no action; 'swiftlet-sim --help' lists them")
    }
  }
}

extension Wait {
  /// The condition as written in a script; empty for `.none`.
  package var text: String {
    switch self {
    case .none: ""
    case .remaining(let left): "@remaining:\(left)"
    case .armed: "@armed"
    case .fadeBegins: "@fade-begins"
    case .fade(let percent): "@fade:\(percent)"
    case .fadeEnds(let left): "@fade-ends:\(left)"
    case .falling: "@falling"
    case .silence: "@silence"
    case .sound: "@sound"
    case .state(let kind): "@state:\(kind.name)"
    case .phase(let kind): "@phase:\(kind.name)"
    }
  }

  /// Parses a condition, such as `@remaining:500`.
  package init(word: Substring) throws(ScriptFault) {
    let plain: [Wait] = [.armed, .fadeBegins, .falling, .silence, .sound]
    if let wait = plain.first(where: { $0.text == word }) {
      self = wait
      return
    }
    let parts = word.split(separator: ":")
    if parts.count == 2, parts[0] == "@state",
      let kind = PlayerState.Kind.allCases.first(where: { $0.name == parts[1] })
    {
      self = .state(kind)
      return
    }
    if parts.count == 2, parts[0] == "@phase",
      let kind = BoxPhase.Kind.allCases.first(where: { $0.name == parts[1] })
    {
      self = .phase(kind)
      return
    }
    guard parts.count == 2, let value = Int(parts[1]) else { throw ScriptFault("'\(word)' is no moment") }
    switch parts[0] {
    case "@remaining": self = .remaining(value)
    case "@fade": self = .fade(value)
    case "@fade-ends": self = .fadeEnds(value)
    default: throw ScriptFault("'\(word)' is no moment")
    }
  }
}

extension Line {
  /// The line as written in a script: `[@CONDITION] [+MICROSECONDS] ACTION`.
  package var text: String {
    (wait == .none ? "" : wait.text + " ") + "+\(delay) " + action.text
  }

  /// Parses a line in the form that `text` returns.
  package init(text: some StringProtocol) throws(ScriptFault) {
    var words = text.split(separator: " ").map { Substring(String($0)) }
    var wait = Wait.none
    if let word = words.first, word.hasPrefix("@") {
      wait = try Wait(word: word)
      words.removeFirst()
    }
    var delay = 0
    if let word = words.first, word.hasPrefix("+") {
      guard let value = Int(word.dropFirst()), value >= 0 else {
        throw ScriptFault("'\(word)' is no number of microseconds")
      }
      delay = value
      words.removeFirst()
    }
    self.init(wait, delay: delay, try Action(words: words))
  }
}
