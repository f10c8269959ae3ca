// A sender and an output with separate clocks in simulated time, and a live source's stream between them.
// Test threads.

import AudioRing
import Foundation
import PlaybackModel
import Testing

@testable import Decoding

/// A resampler that only counts frames; all output frames have the same nonzero sample.
final class CountingConverter: RateConverter {
  private let ratio: Double
  private(set) var correction = 0.0
  private(set) var corrections: [Double] = []
  private(set) var taken = 0
  private(set) var restarts = 0
  private var owed = 0.0

  init(from source: Int, to engine: Int) { ratio = Double(engine) / Double(source) }

  func restart() throws(WorkerFailure) {
    restarts += 1
    owed = 0
  }

  func correct(by partsPerMillion: Double) throws(WorkerFailure) {
    correction = partsPerMillion
    corrections.append(partsPerMillion)
  }

  func process(
    _ input: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int) {
    let pace = ratio / (1 + correction / 1e6)
    let count = min(frames, max(1, Int((Double(capacity) - owed) / pace)))
    owed += Double(count) * pace
    let written = min(capacity, Int(owed))
    owed -= Double(written)
    taken += count
    return (count, written)
  }
}

/// A ring in process memory with both ends.
final class PlainRing {
  let layout: RingLayout
  let base: UnsafeMutableRawPointer

  init(rate: Int) {
    layout = RingLayout(rate: SampleRate(rate))
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
  }

  deinit { base.deallocate() }

  var writer: RingWriter { RingWriter(layout: layout, base: base) }
  var reader: RingReader { RingReader(layout: layout, base: base) }
}

/// Up to an hour of a source that plays all the time.
struct TwoClocks {
  /// Clock errors in ppm.
  var sender = 0.0
  var output = 0.0
  /// Maximum delay of a block in seconds.
  var jitter = 0.004
  var rate = 8000
  var delay = 250
  /// Frames per block.
  var block = 160

  struct Outcome {
    /// Seconds from the arrival of frames to their playback, counted by the test.
    var delays: ClosedRange<Double> = 0...0
    var dropped: Int64 = 0
    /// Whether the output has underrun.
    var ranDry = false
    var corrections: [Double] = []
    var taken = 0
    var sent = 0
    var figures = LiveFigures.Values()
  }

  /// Plays for some seconds of simulated time.
  func run(seconds: Double) throws -> Outcome {
    let ring = PlainRing(rate: rate)
    let converter = CountingConverter(from: rate, to: rate)
    var stream = LiveStream(
      try #require(LiveFormat("\(rate):16:1")), rate: rate, delay: delay, threshold: 0.001, ring: ring.writer,
      base: ring.base, converter)
    let bytes = [UInt8](repeating: 0x40, count: 2 * block)
    var random = ShuffleGenerator(seed: 1)
    var outcome = Outcome()
    var (least, most) = (Double.infinity, -Double.infinity)
    // The playback position, as a frame index at a time.
    var heard: (index: Double, since: Double)?
    var lastTurn = 0.0
    let start = 1.0
    var number = 0
    while true {
      let sent = start + Double((number + 1) * block) / (Double(rate) * (1 + sender / 1e6))
      let now = sent + Double.random(in: 0...jitter, using: &random)
      guard now < start + seconds else { break }
      func position(_ time: Double) -> Double? {
        heard.map { $0.index + (time - $0.since) * Double(rate) * (1 + output / 1e6) }
      }
      // The output reports its position 25 times a second.
      if now - lastTurn > 0.04, let place = position(now - 0.003) {
        lastTurn = now
        // The position is negative before the first frame plays.
        ring.reader.heardPlace.note(index: UInt64(max(0, place)), at: UInt64((now - 0.003) * 1e9))
        ring.reader.retain(from: UInt64(max(0, place - 0.15 * Double(rate))))
      }
      try bytes.withUnsafeBytes { try stream.take($0, at: UInt64(now * 1e9)) }
      outcome.sent += block
      let written = Double(ring.reader.writtenIndex)
      for news in stream.takeNews() {
        if case .ready = news { heard = (written - Double(delay * rate) / 1000, now) }
      }
      if let place = position(now) {
        if place > written { outcome.ranDry = true }
        let delay = (written - place) / Double(rate)
        (least, most) = (min(least, delay), max(most, delay))
      }
      number += 1
    }
    outcome.delays = least...most
    outcome.figures = ring.reader.liveFigures.values
    outcome.dropped = outcome.figures.dropped
    outcome.corrections = converter.corrections
    outcome.taken = converter.taken
    return outcome
  }
}
