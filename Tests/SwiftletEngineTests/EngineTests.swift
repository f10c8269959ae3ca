// The public API of the engine, with real decoders. Test threads.

import Foundation
import PlaybackModel
import SwiftletEngine
import Testing

@Suite struct EngineTests {
  /// The name of an event without its details.
  private func name(_ event: EngineEvent) -> String {
    switch event.kind {
    case .state(let new, _): "\(new)"
    case .began(let track): "began \(track.name)"
    case .left(let track, _, let isOver): "left \(track.name)\(isOver ? ", over" : "")"
    case .titled(let track, let title): "\(track.name) plays \(title)"
    case .queue(let count): "queue \(count)"
    case .output(let isThere): "output \(isThere)"
    case .error(let error): "error \(error.kind)"
    case .note: "note"
    }
  }

  /// The first position at which two recordings differ; nil if they are equal. A failure then prints a number
  /// instead of a recording.
  private func difference(_ one: [Int16], _ other: [Int16]) -> Int? {
    one == other
      ? nil : zip(one, other).enumerated().first { $1.0 != $1.1 }?.offset ?? min(one.count, other.count)
  }

  @Test func everyCurveIsOffered() {
    #expect(EngineCommand.Curve.allCases.map { "\($0)" } == FadeCurve.allCases.map { "\($0)" })
  }

  @Test func anOutputOfOnesOwnGetsTheFramesOfTheFiles() throws {
    let bench = try EngineBench()
    let first = try bench.music("1.wav", seconds: 1.5, seed: 1)
    let second = try bench.music("2.wav", seconds: 0.7, seed: 2)
    let output = KeptOutput()
    let engine = try Engine(output: .custom(output), options: bench.options)
    #expect(try engine.add(bench.folder.path) == 2)
    try engine.perform(.play)
    engine.run()
    #expect(engine.state == .finished)
    #expect(difference(output.samples, first + second) == nil)
  }

  @Test func eventsTellWhatHappensInItsOrder() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 1, seed: 1)
    try bench.music("2.wav", seconds: 1, seed: 2)
    let engine = try Engine(output: .custom(KeptOutput()), options: bench.options)
    var names: [String] = []
    var times: [UInt64] = []
    engine.onEvent = { event in
      names.append(name(event))
      times.append(event.time)
    }
    try engine.add(bench.path("1.wav"))
    try engine.add(bench.path("2.wav"))
    try engine.perform(.play)
    engine.run()
    #expect(
      names.filter { !$0.hasPrefix("queue") } == [
        "preparing", "began 1.wav", "playing", "left 1.wav, over", "began 2.wav", "left 2.wav, over",
        "finished",
      ])
    #expect(names.filter { $0.hasPrefix("queue") }.prefix(2) == ["queue 1", "queue 2"])
    #expect(times == times.sorted())
    // By the clock of the music.
    #expect(times.last == 2_000_000_000)
  }

  /// A variable bit rate MP3 file without a Xing tag that is too long to be scanned when it is opened: its
  /// length is counted during playback.
  @Test func aLengthIsCountedWhileATrackPlays() throws {
    let bench = try EngineBench()
    try bench.music("piece.wav", seconds: 10, rate: 48_000)
    let encoder = Process()
    encoder.executableURL = URL(filePath: "/usr/bin/lame")
    encoder.arguments = ["--quiet", "-t", "-V", "0", bench.path("piece.wav"), bench.path("piece.mp3")]
    try encoder.run()
    encoder.waitUntilExit()
    let piece = try Data(contentsOf: URL(filePath: bench.path("piece.mp3")))
    let count = (17 << 20) / piece.count + 1
    // A foreign byte between the pieces prevents the assumption of a constant bit rate.
    var whole = Data()
    for _ in 0..<count { whole += piece + Data([0]) }
    try whole.write(to: URL(filePath: bench.path("long.mp3")))
    let engine = try Engine(output: .custom(KeptOutput(capacity: 4410)), options: bench.options)
    try engine.add(bench.path("long.mp3"))
    try engine.perform(.play)
    var seen: [Double?] = []
    engine.onEvent = { event in if case .began(let track) = event.kind { seen.append(track.duration) } }
    let limit = ContinuousClock.now + .seconds(20)
    engine.run(until: { engine.track?.duration != nil || ContinuousClock.now > limit })
    let duration = try #require(engine.track?.duration)
    #expect(abs(duration - 10.03 * Double(count)) < 0.03 * Double(count), "\(duration) of \(count) pieces")
    #expect(seen.allSatisfy { $0 == nil }, "the first sound does not wait for it")
    try engine.perform(.seek(duration - 30))
  }

  @Test func aCommandComesAtItsFrame() throws {
    let bench = try EngineBench()
    let samples = try bench.music("1.wav", seconds: 2)
    let output = KeptOutput()
    let engine = try Engine(output: .custom(output), options: bench.options)
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    var heard: Double?
    engine.after(0.5) {
      heard = engine.position
      #expect(throws: Never.self) { try engine.perform(.seek(1.5)) }
    }
    engine.run()
    #expect(heard == 0.5)
    // The jump has a ramp; the samples well before and behind it are those of the file.
    #expect(difference(output.samples, samples) ?? 0 >= 2 * 22050)
    #expect(difference(output.samples.reversed(), samples.reversed()) ?? 0 > 2 * 10_000)
    #expect(abs(output.samples.count - samples.count / 2) < 44100 / 10)
  }

  @Test func commandsMayBeGivenWhereEventsArrive() throws {
    let bench = try EngineBench()
    for number in 1...3 { try bench.music("\(number).wav", seconds: 0.5, seed: UInt32(number)) }
    let engine = try Engine(output: .custom(KeptOutput()), options: bench.options)
    var begun: [String] = []
    // A retain cycle would also leave its last decoder as a zombie, which hides the ends of exit tests from
    // the testing library.
    engine.onEvent = { [unowned engine] event in
      guard case .began(let track) = event.kind else { return }
      begun.append(track.name)
      if track.name == "1.wav" { try? engine.perform(.jump(to: 2)) }
    }
    try engine.add(bench.folder.path)
    try engine.perform(.play)
    engine.run()
    #expect(begun == ["1.wav", "3.wav"])
  }

  @Test func aLoopOfOnesOwnPollsOneDescriptor() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 0.3)
    for output in [EngineOutput.null, .custom(KeptOutput())] {
      let engine = try Engine(output: output, options: bench.options)
      try engine.add(bench.path("1.wav"))
      try engine.perform(.play)
      var turns = 0
      while engine.state != .finished {
        var entry = pollfd(fd: engine.descriptor, events: Int16(POLLIN), revents: 0)
        try #require(poll(&entry, 1, 10_000) == 1, "nothing to do in \(engine.state)")
        engine.turn()
        turns += 1
        try #require(turns < 3000)
      }
    }
  }

  @Test func aPausedEngineWithAClockIsQuiet() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 5)
    let output = KeptOutput(capacity: 4096)
    let engine = try Engine(output: .custom(output), options: bench.options)
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    engine.run { engine.position > 0.2 }
    try engine.perform(.pause)
    engine.run { engine.state == .paused }
    let position = engine.position
    #expect(position > 0.2 && position < 1)
    #expect(output.starts >= 1)
    try engine.perform(.play)
    engine.run { engine.position > position + 0.2 }
    #expect(engine.underruns == 0)
    engine.end()
    let count = output.samples.count
    #expect(count > 0)
    Thread.sleep(forTimeInterval: 0.1)
    #expect(output.samples.count == count, "nothing is written after the end")
  }

  @Test func aLostOutputPausesAndReturns() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 20)
    let output = KeptOutput(capacity: 4096)
    let engine = try Engine(output: .custom(output), options: bench.options)
    var names: [String] = []
    engine.onEvent = { names.append(name($0)) }
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    engine.run { engine.position > 0.1 }
    output.lose()
    engine.run { engine.state == .paused }
    #expect(names.contains("output false"))
    output.returnAgain()
    engine.run { engine.state == .playing }
    #expect(names.contains("output true"))
  }

  @Test func anEngineThatGoesLetsItsOutputGo() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 5)
    for capacity in [0, 4096] {
      weak var kept: KeptOutput?
      do {
        let output = KeptOutput(capacity: capacity)
        kept = output
        let engine = try Engine(output: .custom(output), options: bench.options)
        try engine.add(bench.path("1.wav"))
        try engine.perform(.play)
        engine.run { engine.position > 0.1 }
      }
      #expect(kept == nil)
    }
  }

  @Test func aFileIsDescribedAndRecorded() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 1, rate: 48000)
    let found = try Engine.inspect(bench.path("1.wav"), options: bench.options)
    #expect(found.rate == 48000 && found.frames == 48000 && found.channels == 2 && found.bits == 16)
    bench.options.rate = found.rate
    let engine = try Engine(output: .file(path: bench.path("out.wav")), options: bench.options)
    #expect(engine.rate == 48000)
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    engine.run()
    engine.end()
    #expect(
      try Data(contentsOf: URL(filePath: bench.path("1.wav")))
        == Data(contentsOf: URL(filePath: bench.path("out.wav")))
    )
  }

  @Test func aConsoleLineIsACommand() throws {
    let bench = try EngineBench()
    let samples = try bench.music("1.wav", seconds: 1)
    let output = KeptOutput()
    let engine = try Engine(output: .custom(output), options: bench.options)
    try engine.add(bench.path("1.wav"))
    try engine.perform(line: "volume 0")
    #expect(engine.volume == 0)
    try engine.perform(line: "set volume.maximum 40")
    #expect(try engine.perform(line: "  # nothing") == "")
    #expect(!(try engine.perform(line: "play")).isEmpty)
    engine.run()
    #expect(output.samples.count == samples.count)
    let loudest = output.samples.map { abs(Int($0)) }.max()
    #expect(loudest == 0)
  }
}
