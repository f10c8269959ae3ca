// Well-behaved workers: the frames in the ring are those of the file. Test threads.

import AudioRing
import Decoding
import Foundation
import Platform
import PlaybackModel
import RealtimeAudio
import RealTimeSupport
import Testing

@Suite(.realTime) struct DecodingTests {
  @Test func framesArriveBitForBitWhereRatesMatch() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 200_000)))
    #expect(try listener.waitForReady() == .zero)
    try listener.readToEnd()
    let expected = (0..<200_000).flatMap { [TestFile.ramp($0, 0), TestFile.ramp($0, 1)] }
    #expect(listener.samples == expected)
    #expect(listener.ended?.total == Frames(200_000))
    #expect(listener.opened?.totalFrames == Frames(200_000))
    #expect(listener.opened?.isSandboxed == true)
  }

  @Test func monoGoesToBothSidesUnchanged() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(channels: 1, frames: 10_000)))
    try listener.readToEnd()
    #expect(listener.samples == (0..<10_000).flatMap { [TestFile.ramp($0, 0), TestFile.ramp($0, 0)] })
  }

  @Test(arguments: 3...8) func manyChannelsAreMixedWithoutClipping(channels: Int) throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(channels: channels, frames: 30_000)))
    try listener.readToEnd()
    #expect(listener.samples.count == 60_000)
    let loudest = (0..<30_000).map { abs(TestFile.ramp($0, 0)) }.max()!
    let peak = listener.samples.map { abs($0) }.max()!
    #expect(peak <= loudest + 0.001 && peak > loudest * 0.9)
  }

  @Test(arguments: [
    (44_100, 48_000, 44_100), (44_100, 48_000, 100_001), (96_000, 48_000, 50_001),
    (48_000, 44_100, 77_777), (8_000, 48_000, 3_333), (192_000, 44_100, 123_456),
    (44_100, 48_000, 1), (44_101, 48_000, 50_000), (22_050, 44_100, 0),
  ]) func resampledTracksHaveExactlyTheRoundedLength(source: Int, engine: Int, frames: Int) throws {
    let bench = try Workbench()
    var listener = Listener(
      try bench.worker(TestFile(rate: source, frames: Int64(frames)), rate: engine))
    try listener.readToEnd()
    let expected = Int((Double(frames) * Double(engine) / Double(source)).rounded())
    #expect(listener.samples.count == 2 * expected)
    #expect(listener.ended?.total == Frames(Int64(expected)))
    #expect(listener.opened?.totalFrames == Frames(Int64(expected)))
  }

  @Test(arguments: [1, 2, 6]) func aSineSurvivesResampling(channels: Int) throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .sine, rate: 44_100, channels: channels, frames: 88_200)
    var listener = Listener(try bench.worker(file, rate: 48_000))
    try listener.readToEnd()
    #expect(listener.samples.count == 2 * 96_000)
    // For equal channels, the 5.1 downmix without the LFE has unity gain.
    var signal = 0.0
    var noise = 0.0
    for frame in 2_000..<94_000 {
      let ideal = 0.5 * sin(2 * Double.pi * 1000 * Double(frame) / 48_000)
      for side in 0...1 {
        signal += ideal * ideal
        noise += pow(Double(listener.samples[2 * frame + side]) - ideal, 2)
      }
    }
    let ratio = 10 * log10(signal / noise)
    #expect(ratio > 105, "signal to noise is \(ratio) dB")
  }

  @Test(arguments: [
    (48_000, 1), (48_000, 9_999), (48_000, 150_000), (44_100, 1), (44_100, 7), (44_100, 100_003),
  ])
  func aTrackCanStartAnywhere(source: Int, start: Int) throws {
    let bench = try Workbench()
    let file = TestFile(rate: source, frames: Int64(source) * 4)
    var whole = Listener(try bench.worker(file))
    try whole.readToEnd()
    var part = Listener(try bench.worker(file) { $0.start = Frames(Int64(start)) })
    #expect(try part.waitForReady() == Frames(Int64(start)))
    try part.readToEnd()
    expectSame(part.samples, whole.samples.dropFirst(2 * start), exactly: source == 48_000)
    #expect(part.ended?.total == Frames(192_000))
  }

  /// A reader that finds frames in the ring before it has received any message still uses the right sample
  /// format.
  @Test func aReaderWaitsForTheForm() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile()))
    let limit = MonotonicClock.now() + 20_000_000_000
    while listener.worker.ring.writeIndex == 0 {
      try #require(MonotonicClock.now() < limit)
      var entry = pollfd(fd: listener.worker.descriptor, events: Int16(POLLIN), revents: 0)
      poll(&entry, 1, 5)
    }
    listener.read()
    try #require(listener.samples.count > 100)
    for index in listener.samples.indices {
      try #require(listener.samples[index] == TestFile.ramp(Int64(index / 2), Int64(index % 2)), "\(index)")
    }
  }

  @Test(arguments: [48_000, 44_100, 96_000], [Behaviour.ramp, .unseekable])
  func seeksLandOnTheFrame(source: Int, behaviour: Behaviour) throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: behaviour, rate: source, frames: Int64(source) * 4)
    var whole = Listener(try bench.worker(file))
    try whole.readToEnd()
    var listener = Listener(try bench.worker(file))
    _ = try listener.waitForReady()
    for target in [123_457, 5, 0, 191_999, 192_000, 60_001] {
      let index = listener.worker.ring.writeIndex + 1_000_000
      listener.retain(index)
      listener.samples = []
      listener.index = index
      listener.events = []
      let generation = listener.worker.seek(
        to: Frames(Int64(target)), index: index, now: MonotonicClock.now())
      let landed = try listener.wait { event -> Frames? in
        if case .seeked(generation, let position, index) = event { position } else { nil }
      }
      #expect(landed == Frames(Int64(target)))
      try listener.readToEnd()
      expectSame(listener.samples, whole.samples.dropFirst(2 * target), exactly: source == 48_000)
      #expect(listener.ended?.total == Frames(192_000))
    }
  }

  @Test func ofManySeeksTheLastCounts() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 480_000)))
    _ = try listener.waitForReady()
    var last: UInt32 = 0
    for step in 1...200 {
      let index = UInt64(step) * 1_000_000
      listener.retain(index)
      last = listener.worker.seek(to: Frames(Int64(step * 1000)), index: index, now: MonotonicClock.now())
      listener.index = index
    }
    let landed = try listener.wait { event -> Frames? in
      if case .seeked(last, let position, _) = event { position } else { nil }
    }
    #expect(landed == Frames(200_000))
    try listener.readToEnd()
    #expect(listener.samples.count == 2 * 280_000)
    #expect(listener.samples.first == TestFile.ramp(200_000, 0))
  }

  @Test func aStartPastTheEndIsTheEnd() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(frames: 1000)) { $0.start = Frames(5000) })
    #expect(try listener.waitForReady() == Frames(1000))
    #expect(try listener.waitForEnd() == Frames(1000))
    #expect(listener.worker.ring.endIndex == 0)
  }

  /// A worker that mixes or resamples replaces non-finite samples by silence, because they would spread to
  /// their neighbors.
  @Test func samplesThatAreNotFiniteBecomeSilence() throws {
    let bench = try Workbench()
    let file = TestFile(behaviour: .notFinite, channels: 1, when: 777, frames: 5000)
    var listener = Listener(try bench.worker(file))
    try listener.readToEnd()
    #expect(listener.samples[2 * 777] == 0 && listener.samples[2 * 777 + 1] == 0)
    #expect(listener.samples[2 * 778] == TestFile.ramp(778, 0))
    #expect(listener.samples.count == 10_000)
  }

  /// Without mixing and resampling the samples stay unchanged; the mixer sanitizes them.
  @Test func samplesGoIntoTheRingAsTheyAre() throws {
    let bench = try Workbench()
    var listener = Listener(try bench.worker(TestFile(behaviour: .notFinite, when: 777, frames: 5000)))
    try listener.readToEnd()
    #expect(!listener.samples[2 * 777].isFinite)
    #expect(listener.samples[2 * 778] == TestFile.ramp(778, 0))
    #expect(listener.samples.count == 10_000)
  }

  @Test func aMisleadingExtensionCostsNothingButASecondLook() throws {
    let bench = try Workbench(plugins: ["Test": "libTestCodec.so", "PCM": "libSwiftletCodecPCM.so"])
    var listener = Listener(try bench.worker(TestFile(frames: 100_000), name: "really.WAV"))
    let descriptor = listener.worker.descriptor
    // A seek that was sent before the worker was replaced is not lost.
    listener.retain(500)
    let generation = listener.worker.seek(to: Frames(40_000), index: 500, now: MonotonicClock.now())
    listener.index = 500
    try listener.wait { if case .seeked(generation, Frames(40_000), 500) = $0 { true } else { nil } }
    try listener.readToEnd()
    #expect(listener.opened?.codec == "test")
    #expect(listener.samples.count == 120_000)
    #expect(listener.worker.descriptor == descriptor)
  }

  private func expectSame(
    _ samples: [Float], _ expected: ArraySlice<Float>, exactly: Bool,
    sourceLocation: SourceLocation = #_sourceLocation
  ) {
    guard samples.count == expected.count else {
      Issue.record("\(samples.count) samples, expected \(expected.count)", sourceLocation: sourceLocation)
      return
    }
    let error = zip(samples, expected).map { abs($0 - $1) }.max() ?? 0
    #expect(error <= (exactly ? 0 : 2e-6), "worst difference \(error)", sourceLocation: sourceLocation)
  }
}
