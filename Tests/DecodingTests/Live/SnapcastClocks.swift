// A Snapcast server, a network, a box and its card, each with its own clock or delay, in simulated time. Test
// threads.

import AudioRing
import Foundation
import PlaybackModel
import Testing

@testable import Decoding
@testable import SnapcastClient

/// A linear-interpolation resampler with libsoxr's ratio and latency at each frame.
final class LinearConverter: RateConverter {
  private static let held = 40
  private let ratio: Double
  private let slew: Double
  private var pace: Double
  private var wanted: Double
  private var left = 0.0
  private var position = 0.0
  private var first = 0
  private var input: [Float] = []

  init(from source: Int, to engine: Int) {
    ratio = Double(source) / Double(engine)
    slew = Double(engine / VariableResampler.turn)
    (pace, wanted) = (ratio, ratio)
  }

  func restart() throws(WorkerFailure) {
    (pace, left, position, first, input) = (wanted, 0, 0, 0, [])
  }

  func correct(by partsPerMillion: Double) throws(WorkerFailure) {
    wanted = ratio * (1 + partsPerMillion / 1e6)
    left = slew
  }

  func process(
    _ samples: UnsafePointer<Float>, frames: Int, into output: UnsafeMutablePointer<Float>, capacity: Int
  ) throws(WorkerFailure) -> (taken: Int, written: Int) {
    input += UnsafeBufferPointer(start: samples, count: 2 * frames)
    var written = 0
    while written < capacity, Int(position) - first + 1 + Self.held < input.count / 2 {
      let place = Int(position) - first
      let part = Float(position - position.rounded(.down))
      for channel in 0..<2 {
        let (one, two) = (input[2 * place + channel], input[2 * place + 2 + channel])
        output[2 * written + channel] = one + (two - one) * part
      }
      if left > 0 {
        pace += (wanted - pace) / left
        left -= 1
      } else {
        pace = wanted
      }
      position += pace
      written += 1
    }
    let done = Int(position) - first
    input.removeFirst(2 * done)
    first += done
    return (frames, written)
  }
}

/// A Snapcast client that plays all the time.
struct SnapcastClocks {
  /// Clock errors in ppm relative to the box: of the server, which also paces its audio, and of the card.
  var server = 0.0
  var card = 0.0
  /// Maximum delay in seconds of requests on the way to the server, and of responses and audio on the way
  /// back.
  var there = 0.000_2
  var back = 0.001
  /// Seconds from a frame's server timestamp to its playback.
  var buffer = 1.0
  /// Error in seconds of the playback position that the card reports.
  var noise = 0.000_1
  /// Times in seconds at which the server disappears; two seconds later it returns with another clock, and
  /// the receiver and worker restart.
  var restarts: [Double] = []
  var rate = 8000
  var delay = 250

  struct Outcome {
    /// The maximum error in seconds between the server's clock and the samples played, overall and after
    /// `settled` seconds of each server.
    var worst = 0.0
    var settled = 0.0
    /// The published errors.
    var published: [Int64] = []
    var corrections: [Double] = []
    /// Number of compared positions.
    var compared = 0
    /// Seconds of silence within the sound.
    var gaps = 0.0
    /// Seconds until each server was first audible.
    var firstHeard: [Double] = []
  }

  /// Period of the samples in frames.
  private static let cycle = 4000

  func run(seconds: Double) throws -> Outcome {
    var outcome = Outcome()
    var random = ShuffleGenerator(seed: 11)
    var start = 1000.0
    for end in restarts + [seconds] {
      try run(
        from: start, to: 1000 + end, offset: Double.random(in: -1e5...1e5, using: &random), &random, &outcome)
      start = 1000 + end + 2
    }
    return outcome
  }

  private func run(
    from start: Double, to end: Double, offset: Double, _ random: inout ShuffleGenerator,
    _ outcome: inout Outcome
  ) throws {
    let ring = PlainRing(rate: rate)
    let rate = rate
    var stream = TimedStream(rate: rate, delay: delay, threshold: 0.001, ring: ring.writer, base: ring.base) {
      source throws(WorkerFailure) in LinearConverter(from: source, to: rate)
    }
    var clock = ServerClock()
    let block = rate / 50
    func theirs(_ ours: Double) -> Double { (ours - start) * (1 + server / 1e6) + offset }
    func ours(_ theirs: Double) -> Double { (theirs - offset) / (1 + server / 1e6) + start }
    func nanoseconds(_ seconds: Double) -> Int64 { Int64((seconds * 1e9).rounded()) }
    // The card's playback position, as an index at a time.
    var played: (index: Double, since: Double)?
    func position(_ time: Double) -> Double? {
      played.map { $0.index + (time - $0.since) * Double(rate) * (1 + card / 1e6) }
    }
    var (number, asked, nextAsked, nextTurn, compared) = (0, 0, start, start, start)
    var now = start
    var firstHeard: Double?
    while now < end {
      let sent = ours(offset + Double((number + 1) * block) / Double(rate))
      now = min(nextAsked, nextTurn, sent)
      if now == nextAsked {
        let late = (
          there * Double.random(in: 0...1, using: &random), back * Double.random(in: 0...1, using: &random)
        )
        let (met, arrived) = (now + late.0, now + late.0 + late.1)
        clock.note(
          there: nanoseconds(theirs(met)) - nanoseconds(now),
          back: nanoseconds(arrived) - nanoseconds(theirs(met)),
          arrived: nanoseconds(arrived))
        asked += 1
        nextAsked += asked < 50 ? 0.02 : 0.25
      } else if now == sent {
        let first = number * block
        number += 1
        guard asked > 10, let due = clock.ours(nanoseconds(offset + Double(first) / Double(rate))) else {
          continue
        }
        var bytes = TimedBlock(due: UInt64(due + nanoseconds(buffer)), frames: block, rate: rate).bytes
        for frame in first..<(first + block) {
          for sample in [Float(frame % Self.cycle) / Float(Self.cycle), 0.5] {
            withUnsafeBytes(of: sample) { bytes += $0 }
          }
        }
        try bytes.withUnsafeBytes { try stream.take($0, at: UInt64(now * 1e9)) }
      } else {
        nextTurn += 0.02
        if let place = position(now + 0.01), place >= 0 {
          let told = now + 0.01 + Double.random(in: -noise...noise, using: &random)
          ring.reader.heardPlace.note(
            index: UInt64(place), at: UInt64((told - (place - place.rounded(.down)) / Double(rate)) * 1e9))
          ring.reader.retain(from: UInt64(max(0, place - 0.15 * Double(rate))))
        }
        try stream.pass(UInt64(now * 1e9))
        for news in stream.takeNews() {
          // The box starts playback within a moment.
          if case .ready(let index) = news { played = (Double(index), now + 0.06) }
        }
        while compared < now {
          compared += 0.005
          guard let place = position(compared), place >= 0 else { continue }
          let index = UInt64(place)
          try #require(index + 1 < ring.reader.writtenIndex, "it ran dry at \(now)")
          let (one, two) = (ring.reader.frames(at: index)[0], ring.reader.frames(at: index + 1)[0])
          guard one[1] == 0.5, two[1] == 0.5 else {
            if firstHeard != nil { outcome.gaps += 0.005 }
            continue
          }
          guard two[0] > one[0] else { continue }
          let part = Float(place - place.rounded(.down))
          let frame = Double(one[0] + (two[0] - one[0]) * part) * Double(Self.cycle)
          let wanted = (theirs(compared - buffer) - offset) * Double(rate)
          // The lateness of the played frame, modulo the period.
          let late = (wanted - frame).remainder(dividingBy: Double(Self.cycle)) / Double(rate)
          if firstHeard == nil {
            firstHeard = compared
            outcome.firstHeard.append(compared - start)
          }
          outcome.compared += 1
          outcome.worst = max(outcome.worst, abs(late))
          if compared > start + 15 { outcome.settled = max(outcome.settled, abs(late)) }
        }
        let figures = ring.reader.liveFigures.values
        if let error = figures.error, now > start + 15 { outcome.published.append(error) }
        outcome.corrections.append(Double(figures.partsPerMillion))
      }
    }
  }
}
