// Intended hand movements, and contacts with noise. Test threads.

import Controls

/// A hand movement and the expected gestures.
struct Pattern {
  var title = ""
  /// Ordered by time.
  var events: [LineEvent] = []
  var gestures: [String] = []
  /// Whether the order of the gestures is determined; it is not for two independent hands.
  var isOrdered = true
  /// In microseconds.
  var end = 0
}

/// Makes patterns: intended moves with human timing, on contacts that bounce for up to 15 ms, have glitches
/// of 100 µs and lose edges. A loss is detected within 2 ms, on a knob's lines within 0.8 ms: if an edge is
/// lost while the other line moves, no decoder could determine the direction.
struct Hand {
  private var random: Seeded
  private var now = 1_000_000
  /// Position of the knobs in steps.
  private var turned = [0, 0, 0]
  /// The moves of the present pattern: line, level, time in microseconds.
  private var moves: [(line: Int, isOn: Bool, time: Int)] = []
  private var pattern = Pattern()

  init(seed: UInt64) { random = Seeded(seed: seed) }

  /// The next pattern, after a pause that is longer than all timeouts.
  mutating func next() -> Pattern {
    pattern = Pattern()
    moves = []
    let start = now
    makeMoves()
    let last = moves.map(\.time).max() ?? start
    now = last + 1000 * random.number(450...700)
    pattern.end = now
    for line in 0..<Rig.buttons.count + 2 * Rig.knobs.count {
      addContact(line, from: start - 50_000, to: now - 100_000)
    }
    pattern.events.sort { $0.time < $1.time }
    return pattern
  }

  // MARK: - Intended moves

  private mutating func makeMoves() {
    switch random.number(0...12) {
    case 0:
      expect("stop for any time", ["stop press", "stop release"])
      press("stop", at: 0, for: random.number(60...3000))
    case 1:
      let taps = random.number(1...4)
      expect(
        "play \(taps) times",
        [["play short"], ["play double"], ["play triple"], ["play triple", "play short"]][taps - 1])
      tap("play", taps)
    case 2:
      let taps = random.number(0...2)
      expect("play \(taps) times, then long", [[], ["play short"], ["play double"]][taps] + ["play long"])
      press("play", at: tap("play", taps), for: random.number(900...2500))
    case 3:
      // In the middle between two repeats.
      let repeats = random.number(1...10)
      let waits = (0..<repeats).map { 250 * (0..<$0).reduce(1.0) { power, _ in power * 0.9 } }
      expect("next held for \(repeats)", [String](repeating: "next hold", count: repeats))
      press("next", at: 0, for: Int(500 + waits.dropLast().reduce(0, +) + waits.last! / 2))
    case 4:
      let taps = random.number(1...2)
      expect(
        "prev \(taps) times",
        taps == 1 ? ["prev press", "prev short"] : ["prev press", "prev press", "prev double"])
      tap("prev", taps)
    case 5:
      let isLong = random.chance(1, of: 2)
      expect("next and prev together", [isLong ? "next+prev long" : "next+prev short"])
      chord(["next", "prev"], for: isLong ? random.number(1000...2000) : random.number(120...600))
    case 6:
      expect("next, prev and star together", ["next+prev+star press"])
      chord(["next", "prev", "star"], for: random.number(120...1500))
    case 7:
      expect("prev while next is down", ["prev press", "next short", "prev short"])
      press("next", at: 0, for: random.number(250...300))
      press("prev", at: random.number(140...180), for: random.number(200...300))
    case 8:
      expect("mode for any time", ["mode short"])
      press("mode", at: 0, for: random.number(60...3000))
    case 9, 10:
      let knob = random.number(0...2)
      let detents = turn(knob, at: 0)
      expect("\(Rig.knobs[knob].0) by \(detents)", steps(Rig.knobs[knob].0, detents))
    case 11:
      let begin = random.number(80...600)
      let detents = turn(0, at: begin)
      expect("knob by \(detents) with play held", steps("knob+play", detents))
      let end = (moves.map(\.time).max()! - now) / 1000
      press("play", at: 0, for: end + random.number(60...1000))
    default:
      expect("stop and mode by two hands", ["stop press", "stop release", "mode short"])
      pattern.isOrdered = false
      press("stop", at: random.number(0...500), for: random.number(60...1000))
      press("mode", at: random.number(0...500), for: random.number(60...1000))
    }
  }

  private mutating func expect(_ title: String, _ gestures: [String]) {
    pattern.title = title
    pattern.gestures = gestures
  }

  private func steps(_ name: String, _ detents: Int) -> [String] {
    [String](repeating: name + (detents < 0 ? " left" : " right"), count: abs(detents))
  }

  private mutating func press(_ button: String, at begin: Int, for duration: Int) {
    let line = Rig.buttons.firstIndex(of: button)!
    moves.append((line, true, now + begin * 1000))
    moves.append((line, false, now + (begin + duration) * 1000))
  }

  /// Taps, and returns the earliest time of the next tap.
  @discardableResult
  private mutating func tap(_ button: String, _ count: Int) -> Int {
    var time = 0
    for _ in 0..<count {
      let duration = random.number(60...250)
      press(button, at: time, for: duration)
      time += duration + random.number(60...250)
    }
    return time
  }

  private mutating func chord(_ buttons: [String], for duration: Int) {
    for button in buttons.shuffled(using: &random) {
      let begin = random.number(0...40)
      press(button, at: begin, for: duration - begin + random.number(0...40))
    }
  }

  /// Turns a knob slowly by up to five detents, and returns how many.
  private mutating func turn(_ knob: Int, at begin: Int) -> Int {
    let detents = random.number(1...5) * (random.chance(1, of: 2) ? 1 : -1)
    let stepsPerDetent = Rig.knobs[knob].1
    let line = Rig.buttons.count + 2 * knob
    var time = begin
    for _ in 0..<abs(detents) * stepsPerDetent {
      let old = QuadratureTests.cycle[turned[knob] & 3]
      turned[knob] += detents.signum()
      let new = QuadratureTests.cycle[turned[knob] & 3]
      moves.append(old.a == new.a ? (line + 1, new.b, now + time * 1000) : (line, new.a, now + time * 1000))
      time += random.number(110 / stepsPerDetent...200 / stepsPerDetent)
    }
    return detents
  }

  // MARK: - Contact noise

  /// The events of one line, from its moves and noise.
  private mutating func addContact(_ line: Int, from start: Int, to end: Int) {
    let moves = moves.filter { $0.line == line }.sorted { $0.time < $1.time }
    let isOff = moves.first.map { $0.isOn } ?? !restLevel(of: line)
    var events: [LineEvent] = []
    var quiet = start
    for (index, move) in moves.enumerated() {
      addGlitches(line, isOn: index == 0 ? !isOff : !move.isOn, from: quiet, to: move.time, &events)
      let bounce = random.chance(1, of: 4) ? 0 : random.number(100...15_000)
      // An even number of changes, so that it ends at its initial level.
      let times = (0..<(bounce == 0 ? 0 : 2 * random.number(1...5))).map { _ in random.number(1...bounce) }
        .sorted()
      var level = move.isOn
      events.append(LineEvent(line: line, isOn: level, time: move.time))
      for time in times {
        level.toggle()
        events.append(LineEvent(line: line, isOn: level, time: move.time + time))
      }
      quiet = move.time + bounce
    }
    addGlitches(line, isOn: moves.last?.isOn ?? restLevel(of: line), from: quiet, to: end, &events)
    loseSome(&events)
    pattern.events += events
  }

  private func restLevel(of line: Int) -> Bool {
    guard line >= Rig.buttons.count else { return false }
    let (a, b) = QuadratureTests.cycle[turned[(line - Rig.buttons.count) / 2] & 3]
    return (line - Rig.buttons.count) % 2 == 0 ? a : b
  }

  private mutating func addGlitches(
    _ line: Int, isOn: Bool, from start: Int, to end: Int, _ events: inout [LineEvent]
  ) {
    guard end - start > 1000, random.chance(1, of: 3) else { return }
    var time = start
    for _ in 0..<random.number(1...3) {
      time += random.number(200...max(200, (end - start) / 3 - 200))
      guard time < end - 300 else { return }
      events.append(LineEvent(line: line, isOn: !isOn, time: time))
      events.append(LineEvent(line: line, isOn: isOn, time: time + 100))
    }
  }

  /// A run of edges is lost; then the level is read, before or after the next edge.
  private mutating func loseSome(_ events: inout [LineEvent]) {
    guard !events.isEmpty, random.chance(1, of: 4) else { return }
    let first = random.number(0...events.count - 1)
    var lost = first..<min(first + random.number(1...4), events.count)
    let line = events[first].line
    let isButton = line < Rig.buttons.count
    // A queue overflows in a burst, not over seconds.
    let burst = isButton ? 2000 : 200
    while events[lost.upperBound - 1].time - events[first].time > burst { lost = first..<lost.upperBound - 1 }
    let latest = isButton ? 2000 : 600
    let time = events[lost.upperBound - 1].time + random.number(200...latest)
    let level = events.last { $0.time <= time }!.isOn
    events.removeSubrange(lost)
    events.insert(
      LineEvent(line: line, isOn: level, time: time, isRead: true),
      at: events.firstIndex { $0.time > time } ?? events.endIndex)
  }
}
