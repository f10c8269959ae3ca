// A sender and an output with clocks of their own, in simulated time: what a live source's stream makes of them. Test threads.

import AudioRing
import Foundation
import PlaybackModel
import Testing

@testable import Decoding

/// Converts by counting: so many frames in, so many out, and all of them loud.
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

/// A ring in plain memory, with both ends.
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

/// An hour, or less, of a source that is heard all the time.
struct TwoClocks {
  /// Rates by which both clocks are wrong, in millionths.
  var sender = 0.0
  var output = 0.0
  /// Seconds by which a block may come late.
  var jitter = 0.004
  var rate = 8000
  var delay = 250
  /// Frames of a block.
  var block = 160

  struct Outcome {
    /// Seconds from the arrival of frames until they are heard, by a count of the test's own.
    var delays: ClosedRange<Double> = 0...0
    var dropped: Int64 = 0
    /// Whether the output ever wanted a frame that was not there.
    var ranDry = false
    var corrections: [Double] = []
    var taken = 0
    var sent = 0
    var figures = LiveFigures.Values()
  }

  /// Plays for so many seconds.
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
    // What is heard, as a count of frames since a time.
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
      // The output says where it is 25 times a second.
      if now - lastTurn > 0.04, let place = position(now - 0.003) {
        lastTurn = now
        // Before its first frame is heard, what is heard lies before it.
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
