// Real workers that crash in the middle of a track, and their replacements on the same ring. Test threads.

import CLinux
import ChildSupport
import Decoding
import Foundation
import Platform
import PlaybackModel
import Testing

@Suite struct SuccessorTests {
  enum Death: String, CaseIterable {
    case segv, abort, kill, stop

    var signal: Int32 {
      switch self {
      case .segv: SIGSEGV
      case .abort: SIGABRT
      case .kill: SIGKILL
      case .stop: SIGSTOP
      }
    }

    var kind: WorkerFailure.Kind { self == .stop ? .decoderHung : .decoderCrashed }
  }

  /// Encoded noise, in which all frames differ.
  private static func encoded(_ format: String, _ bench: Workbench) throws -> Data {
    try RealCodecTests.encoded(noise(frames: 400_000), format, bench)
  }

  /// 16-bit stereo noise at 44.1 kHz from a fixed generator.
  private static func noise(frames: Int) -> Data {
    var state: UInt64 = 1
    return RealCodecTests.wave(
      samples: (0..<frames * 2).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int16(truncatingIfNeeded: Int64(bitPattern: state) >> 50)
      })
  }

  private static func bench() throws -> Workbench {
    try Workbench(
      plugins: Dictionary(uniqueKeysWithValues: ShippedCodecs.names.map { ($0, ShippedCodecs.file($0)) }))
  }

  private static func whole(_ data: Data, _ format: String, _ rate: Int, _ bench: Workbench) throws -> [Float]
  {
    var listener = Listener(try bench.worker(data, name: "whole.\(format)", rate: rate))
    _ = try listener.waitForReady()
    try listener.readToEnd()
    return listener.samples
  }

  /// Reads a track whose worker crashes in the middle with a full ring, and whose replacement continues.
  private static func broken(
    _ data: Data, _ format: String, _ rate: Int, _ death: Death, _ bench: Workbench
  ) throws -> [Float] {
    var listener = Listener(try bench.worker(data, name: "broken.\(format)", rate: rate))
    _ = try listener.waitForReady()
    try listener.waitUntil(written: 40_000)
    listener.read()
    try listener.waitUntil(written: listener.index + 20_000)
    let worker = listener.worker
    #expect(kill(worker.processID, death.signal) == 0)
    if death == .stop {
      // Draining the ring gives a live worker work to do.
      listener.read()
      worker.expectProgress(now: MonotonicClock.now())
    }
    let reason = try listener.wait { if case .died(let reason) = $0 { reason } else { nil } }
    #expect(reason.kind == death.kind)
    listener.look()
    let index = worker.ring.writeIndex
    listener.events = []
    worker.restart(at: Frames(Int64(index)), index: index, now: MonotonicClock.now())
    let place = try listener.wait {
      if case .seeked(_, let position, let index) = $0 { (position, index) } else { nil }
    }
    #expect(place.0 == Frames(Int64(index)) && place.1 == index)
    try listener.readToEnd()
    #expect(listener.failure == nil)
    return listener.samples
  }

  /// Lossless codecs are restarted without a lost, repeated or changed frame.
  @Test(arguments: ["flac", "wav", "wv"], Death.allCases)
  func exactCodecsLoseNothing(format: String, death: Death) throws {
    let bench = try Self.bench()
    let data = try Self.encoded(format, bench)
    let whole = try Self.whole(data, format, 44_100, bench)
    let broken = try Self.broken(data, format, 44_100, death, bench)
    #expect(whole.count == 800_000 && broken.count == whole.count)
    #expect(whole == broken)
  }

  @Test(arguments: ["flac", "ogg", "opus", "mp3", "m4a"])
  func otherRatesAndLossyCodecsLoseNoFrame(format: String) throws {
    let bench = try Self.bench()
    let data = try Self.encoded(format, bench)
    let whole = try Self.whole(data, format, 48_000, bench)
    let broken = try Self.broken(data, format, 48_000, .kill, bench)
    #expect(broken.count == whole.count)
    // Long after the restart, both agree within rounding.
    let differences = zip(whole, broken).map { abs($0 - $1) }
    #expect(differences.suffix(200_000).allSatisfy { $0 < 1e-3 }, "\(differences.suffix(200_000).max() ?? 0)")
  }

  @Test func aSuccessorThatDiesIsReportedAgain() throws {
    let bench = try Self.bench()
    let data = try Self.encoded("flac", bench)
    var listener = Listener(try bench.worker(data, name: "twice.flac", rate: 44_100))
    _ = try listener.waitForReady()
    for _ in 0..<3 {
      #expect(kill(listener.worker.processID, SIGKILL) == 0)
      _ = try listener.wait { if case .died = $0 { true } else { nil } }
      listener.events = []
      let index = listener.worker.ring.writeIndex
      listener.worker.restart(at: Frames(Int64(index)), index: index, now: MonotonicClock.now())
      _ = try listener.wait { if case .seeked = $0 { true } else { nil } }
    }
    try listener.readToEnd()
    #expect(listener.samples.count == 800_000)
  }

  /// A worker that keeps up is not terminated, whether it sleeps or has finished.
  @Test func aWorkerThatKeepsUpIsNotEnded() throws {
    let bench = try Self.bench()
    let data = try Self.encoded("flac", bench)
    var listener = Listener(try bench.worker(data, name: "well.flac", rate: 44_100))
    _ = try listener.waitForReady()
    while listener.ended == nil {
      listener.read()
      listener.worker.expectProgress(now: MonotonicClock.now())
      listener.step()
    }
    try listener.readToEnd()
    #expect(listener.failure == nil && listener.samples.count == 800_000)
  }
}
