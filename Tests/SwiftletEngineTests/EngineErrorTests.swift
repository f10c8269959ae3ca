// Misuse of the engine: each case is a typed error with a remedy. Test threads.

import Foundation
import SwiftletEngine
import Testing

@Suite struct EngineErrorTests {
  private func error(_ body: () throws(EngineError) -> Void) -> EngineError? {
    do throws(EngineError) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  private final class WrongOutput: AudioOutput {
    let rate: Int
    let capacity: Int
    init(rate: Int, capacity: Int) {
      self.rate = rate
      self.capacity = capacity
    }
    func write(_ bytes: UnsafeRawBufferPointer, frames: Int) throws(AudioOutputFault) -> Int { frames }
  }

  @Test func aProgramThatCannotDecodeIsToldWhatToCall() {
    // The test runner does not call runWorkerIfAsked.
    let error = error { () throws(EngineError) in _ = try Engine(output: .null) }
    #expect(error?.kind == .noWorker)
    #expect(error?.remedy.contains("Engine.runWorkerIfAsked()") == true)
  }

  @Test func outputsThatCannotBe() throws {
    let bench = try EngineBench()
    for (rate, capacity) in [(0, 0), (-1, 0), (1_000_000, 0), (44100, 1), (44100, -5)] {
      let wrong = WrongOutput(rate: rate, capacity: capacity)
      let error = error { () throws(EngineError) in
        _ = try Engine(output: .custom(wrong), options: bench.options)
      }
      #expect(error?.kind == .outputRefused, "\(rate) Hz, \(capacity) frames")
    }
    #expect(
      error { () throws(EngineError) in
        _ = try Engine(output: .device("no-such-card"), options: bench.options)
      }?.kind == .outputUnavailable)
    #expect(
      error { () throws(EngineError) in
        _ = try Engine(output: .file(path: "/no/such/folder/a.wav"), options: bench.options)
      }?.kind == .outputRefused)
    bench.options.rate = 12
    #expect(
      error { () throws(EngineError) in _ = try Engine(output: .null, options: bench.options) }?.kind
        == .outputRefused)
  }

  @Test func commandsThatMeanNothing() throws {
    let bench = try EngineBench()
    let engine = try Engine(output: .null, options: bench.options)
    for command in [
      EngineCommand.play, .seek(3), .retry, .jump(to: 0), .volume(101), .volume(-1), .finishFade,
      .crossfade(seconds: 99, .linear),
    ] {
      let error = error { () throws(EngineError) in try engine.perform(command) }
      #expect(error?.kind == .command && error?.sentence.isEmpty == false, "\(command)")
    }
    for line in ["nonsense", "status", "seek", "set fade.length many"] {
      #expect(
        error { () throws(EngineError) in try engine.perform(line: line) }?.kind == .command, "\(line)")
    }
    #expect(engine.state == .idle)
    // Nothing is playing, so there is nothing to wait for.
    engine.run()
  }

  @Test func filesThatCannotBePlayedAreReportedAndPassedOver() throws {
    let bench = try EngineBench()
    let samples = try bench.music("2.wav", seconds: 0.5)
    try Data("no music".utf8).write(to: URL(filePath: bench.path("1.wav")))
    let output = KeptOutput()
    let engine = try Engine(output: .custom(output), options: bench.options)
    var errors: [EngineError] = []
    engine.onEvent = { if case .error(let error) = $0.kind { errors.append(error) } }
    try engine.add(bench.path("gone.wav"))
    try engine.add(bench.folder.path)
    try engine.perform(.play)
    engine.run()
    #expect(errors.map(\.kind) == [.media, .media])
    #expect(errors.allSatisfy { !$0.remedy.isEmpty })
    let isWhole = output.samples == samples
    #expect(isWhole)
    #expect(
      error { () throws(EngineError) in try engine.add(bench.path("gone.m3u")) }?.kind == .media)
    #expect(
      error { () throws(EngineError) in
        _ = try Engine.inspect(bench.path("gone.wav"), options: bench.options)
      }?.kind == .media)
    #expect(error { () throws(EngineError) in try engine.remove(9999) }?.kind == .command)
  }

  @Test func anEngineThatHasEndedIsNoMore() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 0.5)
    let engine = try Engine(output: .null, options: bench.options)
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    engine.end()
    #expect(error { () throws(EngineError) in try engine.perform(.play) }?.kind == .ended)
    #expect(error { () throws(EngineError) in try engine.perform(line: "play") }?.kind == .ended)
    #expect(error { () throws(EngineError) in try engine.add(bench.path("1.wav")) }?.kind == .ended)
    let track = try #require(engine.queue.first)
    #expect(error { () throws(EngineError) in try engine.remove(track.id) }?.kind == .ended)
    #expect(!engine.canPerform(.play))
    // Calls that do not throw change nothing.
    var (queueChanges, isCalled) = (0, false)
    engine.onEvent = { if case .queue = $0.kind { queueChanges += 1 } }
    engine.removeAll()
    engine.after(0) { isCalled = true }
    engine.run()
    engine.turn()
    engine.end()
    #expect(engine.queue == [track] && queueChanges == 0 && !isCalled)
  }

  @Test func withoutACodecTheTrackFails() throws {
    let bench = try EngineBench()
    try bench.music("1.wav", seconds: 0.5)
    bench.options.codecs = [bench.folder.path]
    let engine = try Engine(output: .custom(KeptOutput()), options: bench.options)
    var sentence = ""
    engine.onEvent = { if case .error(let error) = $0.kind { sentence = error.sentence } }
    try engine.add(bench.path("1.wav"))
    try engine.perform(.play)
    engine.run()
    #expect(engine.state == .failed)
    #expect(sentence.contains(bench.folder.path), "\(sentence)")
  }
}
