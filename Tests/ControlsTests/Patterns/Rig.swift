// The controls without a box: contacts, debouncing, decoders and the recognizer, driven by their deadlines.
// Test threads.

import Controls

/// An event of a line as the kernel reports it.
struct LineEvent {
  let line: Int
  let isOn: Bool
  /// In microseconds.
  let time: Int
  /// Whether edges were lost and the level was read.
  var isRead = false
}

/// The controls of a board, and the recognized gestures.
struct Rig {
  static let buttons = ["play", "stop", "next", "prev", "star", "mode"]
  /// Names and steps per detent. Their lines follow those of the buttons, two each.
  static let knobs = [("knob", 4), ("dial", 2), ("wheel", 1)]
  static let bound = [
    "play short", "play double", "play triple", "play long", "stop press", "stop release", "next short",
    "next hold", "prev press", "prev short", "prev double", "star short", "mode short",
    "next+prev short", "next+prev long", "next+prev+star press", "knob left", "knob right", "knob+play left",
    "knob+play right", "dial left", "dial right", "wheel left", "wheel right",
  ]

  private var recognizer = GestureRecognizer(bound)
  private var contacts =
    buttons.map { _ in Debouncer(milliseconds: 20) }
    + knobs.flatMap { knob in
      (0..<2).map { _ in Debouncer(milliseconds: QuadratureDecoder.debounce(stepsPerDetent: knob.1)) }
    }
  private var decoders = knobs.map { QuadratureDecoder(stepsPerDetent: $0.1, a: false, b: false)! }
  private(set) var gestures: [String] = []
  private let names = buttons.map { name($0) }
  private let knobNames = knobs.map { name($0.0) }

  /// Processes line events until `end` (microseconds); timers are late by up to `lateness`.
  mutating func play(_ events: [LineEvent], until end: Int, lateness: Int) {
    gestures = []
    for event in events {
      wait(until: UInt64(event.time) * 1000, lateness: UInt64(lateness) * 1000)
      take(event)
    }
    wait(until: UInt64(end) * 1000, lateness: UInt64(lateness) * 1000)
  }

  /// Whether no timer is pending.
  var isAtRest: Bool { recognizer.deadline == nil && contacts.allSatisfy { $0.deadline == nil } }

  private mutating func wait(until time: UInt64, lateness: UInt64) {
    while true {
      var due = recognizer.deadline ?? .max
      for contact in contacts { due = min(due, contact.deadline ?? .max) }
      guard due <= time else { return }
      let now = min(due + lateness, time)
      var edges: [(line: Int, edge: Debouncer.Edge)] = []
      for line in contacts.indices {
        if let edge = contacts[line].advance(to: now) { edges.append((line, edge)) }
      }
      for (line, edge) in edges.sorted(by: { $0.edge.time < $1.edge.time }) { pass(edge, of: line) }
      note(recognizer.advance(to: now))
    }
  }

  private mutating func take(_ event: LineEvent) {
    let line = event.line
    let time = UInt64(event.time) * 1000
    let edge =
      event.isRead
      ? contacts[line].level(isDown: event.isOn, at: time) : contacts[line].edge(isDown: event.isOn, at: time)
    if let edge { pass(edge, of: line) }
  }

  private mutating func pass(_ edge: Debouncer.Edge, of line: Int) {
    guard line < Self.buttons.count else { return decode(line, edge.isDown, edge.time) }
    note(recognizer.take(TimedInput(edge.isDown ? .down(names[line]) : .up(names[line]), at: edge.time)))
  }

  private mutating func decode(_ line: Int, _ isOn: Bool, _ time: UInt64) {
    let knob = (line - Self.buttons.count) / 2
    let detents = decoders[knob].edge((line - Self.buttons.count).isMultiple(of: 2) ? .a : .b, isOn: isOn)
    guard detents != 0 else { return }
    note(recognizer.take(TimedInput(.turn(knobNames[knob], detents: detents), at: time)))
  }

  private mutating func note(_ recognized: [Recognized]) {
    for gesture in recognized {
      gestures.append(gesture.trigger.text + (gesture.count == 1 ? "" : " \(gesture.count)"))
    }
  }
}
