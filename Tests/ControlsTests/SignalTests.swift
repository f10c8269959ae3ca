// Bouncing contacts and turning knobs as levels over time. Test threads.

import Controls
import Testing

@Suite struct DebouncerTests {
  /// Plays `0 down, 1 up, 2 down, 60 .`, with times in units of 0.1 ms; `?down` is a level that was read.
  /// Returns the debounced edges in the same unit.
  private func play(_ script: String, debounce: Int = 20, isLate: Bool = false) -> [String] {
    var debouncer = Debouncer(milliseconds: debounce)
    var edges: [Debouncer.Edge?] = []
    for step in script.split(separator: ",") {
      let words = step.split(separator: " ")
      let time = UInt64(words[0])! * 100_000
      if !isLate, let due = debouncer.deadline, due <= time { edges.append(debouncer.advance(to: due)) }
      switch words[1] {
      case "down", "up": edges.append(debouncer.edge(isDown: words[1] == "down", at: time))
      case "?down", "?up": edges.append(debouncer.level(isDown: words[1] == "?down", at: time))
      default: edges.append(debouncer.advance(to: time))
      }
    }
    #expect(debouncer.deadline == nil)
    return edges.compactMap { $0 }.map { "\($0.time / 100_000) \($0.isDown ? "down" : "up")" }
  }

  static let scripts: [(String, [String])] = [
    ("0 down, 1000 up, 2000 .", ["200 down", "1200 up"]),
    // An opening of the contact subtracts from the elapsed time, instead of restarting it.
    ("0 down, 10 up, 20 down, 1000 up, 1010 down, 1015 up, 2000 .", ["220 down", "1210 up"]),
    ("0 down, 150 up, 151 down, 2000 .", ["202 down"]),
    // Glitches are ignored in both directions, however many.
    ("0 down, 1 up, 100 down, 101 up, 200 down, 201 up, 2000 .", []),
    ("0 down, 500 up, 501 down, 600 up, 601 down, 2000 .", ["200 down"]),
    ("0 down, 199 up, 500 down, 699 up, 2000 .", []),
    ("0 down, 200 up, 500 .", ["200 down", "400 up"]),
    // Edges that repeat a level.
    ("0 down, 100 down, 200 down, 1000 up, 1100 up, 2000 .", ["200 down", "1200 up"]),
    // Lost edges: the level was read.
    ("0 ?down, 500 .", ["200 down"]),
    ("0 down, 100 ?down, 500 .", ["200 down"]),
    ("0 down, 100 ?up, 500 .", []),
    ("0 down, 1000 ?up, 2000 ?down, 3000 .", ["200 down", "1200 up", "2200 down"]),
    // A timestamp older than the previous one.
    ("100 down, 90 up, 95 down, 500 up, 1000 .", ["295 down", "700 up"]),
  ]

  @Test(arguments: scripts)
  func contactsBecomeClean(_ script: String, _ edges: [String]) { #expect(play(script) == edges) }

  /// Except where a read level contradicts an unobserved deadline, which then does not count.
  @Test(arguments: scripts.filter { !$0.0.contains("?up") })
  func nobodyNeedsToKeepTheDeadline(_ script: String, _ edges: [String]) {
    #expect(play(script, isLate: true) == edges)
  }

  @Test func noDebounceLetsAllThrough() {
    #expect(
      play("0 down, 1 up, 2 down, 2 up, 9 ?down, 10 ?up, 20 .", debounce: 0)
        == ["0 down", "1 up", "2 down", "2 up", "9 down", "10 up"])
  }

  @Test func aButtonHeldAtPowerOnHasNoEdgeButItsRelease() {
    var debouncer = Debouncer(milliseconds: 20, isDown: true)
    #expect(debouncer.isDown && debouncer.deadline == nil)
    #expect(debouncer.edge(isDown: false, at: 100) == nil)
    #expect(debouncer.advance(to: 20_000_100)?.isDown == false)
    #expect(!debouncer.isDown)
  }

  @Test(arguments: [UInt64.max, UInt64.max - 1])
  func aSenselessTimeStopsNothing(_ time: UInt64) {
    var debouncer = Debouncer(milliseconds: 20)
    _ = debouncer.edge(isDown: true, at: time)
    _ = debouncer.edge(isDown: false, at: 1000)
    _ = debouncer.edge(isDown: true, at: 2000)
    #expect(debouncer.advance(to: 20_002_000)?.isDown == true)
  }
}

@Suite struct QuadratureTests {
  /// The positions of a turn to the right.
  static let cycle: [(a: Bool, b: Bool)] = [(false, false), (true, false), (true, true), (false, true)]

  /// Turns by steps, one line at a time; with bounces, each line toggles several times first.
  private func turn(_ decoder: inout QuadratureDecoder, from position: Int, steps: Int, bounces: Int = 0)
    -> [Int]
  {
    var detents: [Int] = []
    var position = position
    for _ in 0..<abs(steps) {
      let old = Self.cycle[position & 3]
      position += steps.signum()
      let new = Self.cycle[position & 3]
      let line: QuadratureDecoder.Line = old.a == new.a ? .b : .a
      let (before, after) = line == .a ? (old.a, new.a) : (old.b, new.b)
      for level in Array(repeating: [after, before], count: bounces).joined() + [after] {
        detents.append(decoder.edge(line, isOn: level))
      }
    }
    return detents.filter { $0 != 0 }
  }

  @Test(arguments: [1, 2, 4], [0, 1, 5])
  func detentsAreCounted(_ stepsPerDetent: Int, _ bounces: Int) throws {
    guard stepsPerDetent > 1 || bounces == 0 else { return }
    for rest in stepsPerDetent == 4 ? [0, 2] : [0] {
      let start = Self.cycle[rest]
      var decoder = try #require(QuadratureDecoder(stepsPerDetent: stepsPerDetent, a: start.a, b: start.b))
      let there = turn(&decoder, from: rest, steps: 12, bounces: bounces)
      #expect(there == [Int](repeating: 1, count: 12 / stepsPerDetent))
      let back = turn(&decoder, from: rest, steps: -12, bounces: bounces)
      #expect(back == [Int](repeating: -1, count: 12 / stepsPerDetent))
    }
  }

  @Test(arguments: [2, 4]) func halfADetentAndBackIsNothing(_ stepsPerDetent: Int) throws {
    var decoder = try #require(QuadratureDecoder(stepsPerDetent: stepsPerDetent, a: false, b: false))
    for steps in 1..<stepsPerDetent {
      #expect(turn(&decoder, from: 0, steps: steps).isEmpty)
      #expect(turn(&decoder, from: steps, steps: -steps).isEmpty)
    }
  }

  /// Bouncing at a reported detent neither repeats nor reverts it.
  @Test(arguments: [2, 4]) func bounceAtTheDetentIsNothing(_ stepsPerDetent: Int) throws {
    var decoder = try #require(QuadratureDecoder(stepsPerDetent: stepsPerDetent, a: false, b: false))
    #expect(turn(&decoder, from: 0, steps: stepsPerDetent) == [1])
    for _ in 0..<5 {
      #expect(turn(&decoder, from: stepsPerDetent, steps: -1).isEmpty)
      #expect(turn(&decoder, from: stepsPerDetent - 1, steps: 1).isEmpty)
      #expect(turn(&decoder, from: stepsPerDetent, steps: 1).isEmpty)
      #expect(turn(&decoder, from: stepsPerDetent + 1, steps: -1).isEmpty)
    }
    #expect(turn(&decoder, from: stepsPerDetent, steps: stepsPerDetent) == [1])
  }

  @Test func aLevelReadInTheMiddleGoesOnAsBegun() throws {
    for direction in [1, -1] {
      var decoder = try #require(QuadratureDecoder(stepsPerDetent: 4, a: false, b: false))
      #expect(turn(&decoder, from: 0, steps: direction).isEmpty)
      let (a, b) = Self.cycle[3 * direction & 3]
      #expect(decoder.levels(a: a, b: b) == 0)
      #expect(turn(&decoder, from: 3 * direction, steps: direction) == [direction])
    }
  }

  @Test func lostStepsCostTheirDetentAndNoMore() throws {
    var decoder = try #require(QuadratureDecoder(stepsPerDetent: 4, a: false, b: false))
    #expect(decoder.levels(a: true, b: true) == 0)
    #expect(turn(&decoder, from: 2, steps: 2).isEmpty)
    #expect(turn(&decoder, from: 0, steps: 8) == [1, 1])
  }

  /// For any edges, the sum never deviates by more than the lost edges can hide.
  @Test(arguments: [2, 4]) func lostEdgesNeverInventDetents(_ stepsPerDetent: Int) throws {
    var random = Seeded(seed: patternSeed)
    for _ in 0..<2000 {
      var decoder = try #require(QuadratureDecoder(stepsPerDetent: stepsPerDetent, a: false, b: false))
      var told = 0
      for step in 1...40 {
        let (old, new) = (Self.cycle[(step - 1) & 3], Self.cycle[step & 3])
        if random.chance(1, of: 8) { continue }
        told += old.a == new.a ? decoder.edge(.b, isOn: new.b) : decoder.edge(.a, isOn: new.a)
      }
      let (a, b) = Self.cycle[0]
      told += decoder.levels(a: a, b: b)
      #expect(told <= 40 / stepsPerDetent, "seed \(patternSeed)")
      #expect(turn(&decoder, from: 0, steps: 2 * stepsPerDetent) == [1, 1], "seed \(patternSeed)")
    }
  }

  @Test(arguments: [0, 3, -1, 8, .max]) func othersAreNoEncoders(_ stepsPerDetent: Int) {
    #expect(QuadratureDecoder(stepsPerDetent: stepsPerDetent, a: false, b: false) == nil)
  }
}
