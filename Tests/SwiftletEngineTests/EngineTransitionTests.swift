// The engine's view of its state machine: the history, live transitions, and which commands it accepts. Test
// threads.

import Foundation
import SwiftletEngine
import Testing

@Suite struct EngineTransitionTests {
  /// An engine with two files on an output without a clock.
  private func engine(_ bench: EngineBench) throws -> Engine {
    for number in 1...2 { try bench.music("\(number).wav", seconds: 1, seed: UInt32(number)) }
    return try Engine(output: .custom(KeptOutput()), options: bench.options)
  }

  @Test func aWatchBeginsWithThePresentState() throws {
    let bench = try EngineBench()
    let engine = try engine(bench)
    try engine.add(bench.folder.path)
    engine.run { engine.state == .ready }
    var seen: [EngineTransition] = []
    engine.watchTransitions { seen.append($0) }
    let first = try #require(seen.first)
    #expect(seen.count == 1 && first.event == nil && first.outcome == .unchanged)
    #expect(first.to == first.from && first.to.state == .ready && first.to.track?.name == "1.wav")
    #expect(first.to.text == "Ready" && first.to.position == 0 && !first.to.isActive)
    #expect(abs(first.wallClock - Date().timeIntervalSince1970) < 60)
  }

  @Test func aWatchTellsEachChangeWithItsContents() throws {
    let bench = try EngineBench()
    let engine = try engine(bench)
    let begun = Date().timeIntervalSince1970
    var seen: [EngineTransition] = []
    engine.watchTransitions { seen.append($0) }
    try engine.add(bench.folder.path)
    try engine.perform(.play)
    engine.run()
    // Each transition starts in the state in which the previous one ended, so none is missing.
    for (before, after) in zip(seen, seen.dropFirst()) {
      #expect(after.from.state == before.to.state && after.from.track?.id == before.to.track?.id)
      #expect(after.sequence > before.sequence && after.time >= before.time)
      #expect(after.outcome == .changed && after.wallClock >= begun - 1)
      #expect(after.wallClock <= Date().timeIntervalSince1970 + 1)
    }
    let steps = seen.dropFirst().map { "\($0.event?.name ?? "") \($0.to.state) \($0.to.track?.name ?? "")" }
    #expect(steps.first == "load preparing 1.wav")
    #expect(steps.contains("didAdvance playing 2.wav") && steps.last == "didReachEnd finished 2.wav")
    let play = try #require(seen.first { $0.event?.name == "play" })
    #expect(play.event?.origin == .command && play.to.isActive)
    #expect(seen.last?.event?.origin == .engine && seen.last?.time == 2_000_000_000)
  }

  @Test func aWatchThatWasEndedReceivesNothing() throws {
    let bench = try EngineBench()
    let engine = try engine(bench)
    var counts = [0, 0]
    var watch: EngineWatch?
    watch = engine.watchTransitions { _ in
      counts[0] += 1
      watch?.end()
    }
    engine.watchTransitions { _ in counts[1] += 1 }
    try engine.add(bench.folder.path)
    try engine.perform(.play)
    engine.run()
    #expect(counts[0] == 2 && counts[1] > 3)
  }

  @Test func theHistoryIsBoundedAndHasWhatWasRejected() throws {
    let bench = try EngineBench()
    let engine = try engine(bench)
    #expect(engine.history.isEmpty)
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    engine.run()
    #expect(engine.history.map(\.sequence) == (1...UInt64(engine.history.count)).map { $0 })
    #expect(engine.history.first?.from.state == .idle && engine.history.last?.to.state == .finished)
    let times = engine.history.map(\.wallClock)
    #expect(times.allSatisfy { abs($0 - Date().timeIntervalSince1970) < 60 })
    for _ in 0..<200 { try engine.perform(.stop) }
    try engine.add(bench.path("2.wav"))
    for _ in 0..<100 {
      try engine.perform(.play)
      try engine.perform(.pause)
    }
    let history = engine.history
    #expect(history.count == 128)
    #expect(history.last!.sequence > 128 && history.first!.sequence == history.last!.sequence - 127)
    #expect(history.contains { $0.outcome == .unchanged } || history.contains { $0.outcome == .changed })
  }

  /// `canPerform` agrees with `perform`.
  @Test func whatCanBePerformedIsPerformed() throws {
    let commands: [EngineCommand] = [
      .play, .pause, .toggle, .stop, .next, .previous, .seek(0.1), .skip(seconds: 1), .jump(to: 0),
      .jump(to: 7), .jump(to: -1), .volume(40), .volume(101), .crossfade(seconds: 2, .linear),
      .crossfade(seconds: 99, .linear), .finishFade, .shuffle(true), .repeat(.all), .retry, .reset,
    ]
    let bench = try EngineBench()
    try Data("This is no music.".utf8).write(to: bench.folder.appendingPathComponent("broken.wav"))
    for situation in ["idle", "ready", "playing", "paused", "finished", "failed"] {
      for command in commands {
        let engine = try engine(bench)
        if situation == "failed" {
          try engine.add(bench.path("broken.wav"))
          try engine.perform(.play)
          engine.run { engine.state == .failed }
        } else if situation != "idle" {
          try engine.add(bench.path("1.wav"))
          engine.run { engine.state == .ready }
          if situation != "ready" { try engine.perform(.play) }
          if situation == "playing" || situation == "paused" { engine.run { engine.position > 0.1 } }
          if situation == "paused" {
            try engine.perform(.pause)
            engine.run { engine.state == .paused }
          }
          if situation == "finished" { engine.run() }
        }
        try #require("\(engine.state)" == situation)
        let total = engine.history.count
        let canPerform = engine.canPerform(command)
        #expect(engine.history.count == total, "asking performs nothing")
        var isPerformed = true
        do { try engine.perform(command) } catch { isPerformed = false }
        #expect(canPerform == isPerformed, "\(command) while \(situation)")
        engine.end()
        #expect(!engine.canPerform(command))
      }
    }
  }
}
