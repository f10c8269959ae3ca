// Writes a timed live source to its ring, with the presentation and playing times of the frames. Worker
// process only, one thread.

import AudioRing

/// Writes frames and silence, and corrects the rate to meet the presentation times.
struct TimedOutput: ~Copyable {
  /// Number of frames of silence written at once.
  private static let piece = 512
  /// Number of errors over which the published error is averaged.
  private static let smoothing = 16.0

  /// Statistics for the command `status`.
  var values = LiveFigures.Values()
  private var ring: RingWriter
  private let heardPlace: HeardPlace
  private let figures: LiveFigures
  private let engineRate: Double
  private var times: RingTimes
  private var corrector = DriftCorrector(target: 0, .firm)
  private let makeConverter: (Int) throws(WorkerFailure) -> any RateConverter
  /// The converter, its source rate, and its input position; nil before the first frame.
  private var converter: (made: any RateConverter, rate: Int, place: ConverterPlace)?
  /// A reference frame of the converter's input, and its presentation time.
  private var anchor = (frame: 0.0, due: 0.0)
  /// Frames passed to the converter.
  private var taken = 0
  private var error: Double?

  init(
    rate: Int, ring: consuming RingWriter, base: UnsafeMutableRawPointer,
    _ makeConverter: @escaping (Int) throws(WorkerFailure) -> any RateConverter
  ) {
    self.ring = ring
    heardPlace = HeardPlace(base: base)
    figures = LiveFigures(base: base)
    engineRate = Double(rate)
    times = RingTimes(rate: rate)
    self.makeConverter = makeConverter
  }

  var writeIndex: UInt64 { ring.writeIndex }
  /// The rate of the last block in Hz; 0 before the first.
  var rate: Int { converter?.rate ?? 0 }
  /// Presentation time of the next input frame.
  var due: Double { due(Double(taken)) }

  private func due(_ frame: Double) -> Double { anchor.due + (frame - anchor.frame) / Double(max(1, rate)) }

  /// Publishes the written frames to the reader, and the statistics.
  mutating func publish() {
    ring.publish()
    values.partsPerMillion = Int64(corrector.correction.rounded())
    figures.values = values
  }

  /// Resets the state for new audio after silence.
  mutating func restart() {
    times.restart()
    corrector.restart()
    error = nil
    values.error = nil
  }

  /// Reads the output's report of its position. Returns false if it is not new.
  mutating func look() -> Bool {
    guard let place = heardPlace.last else { return false }
    return times.note(place.index, heardAt: Double(place.time) / 1e9)
  }

  /// When the next frame to be written will be heard; nil without a recent report.
  func heard(_ time: Double) -> Double? { times.heard(ring.writeIndex, at: time) }

  /// Seconds until the next frame to be written is heard.
  func ahead(_ time: Double) -> Double? { heard(time).map { $0 - time } }

  // MARK: Silence

  /// Writes silence. Returns false, and writes nothing, if there is not enough room.
  @discardableResult mutating func silence(seconds: Double) -> Bool {
    var left = Int((seconds * engineRate).rounded())
    guard left <= ring.free else { return false }
    if left > 0 { times.mark(ring.writeIndex, due: nil) }
    while left > 0 {
      let space = ring.contiguous()
      let count = min(left, space.count / 2)
      space[..<(2 * count)].update(repeating: 0)
      ring.advance(count)
      left -= count
    }
    return true
  }

  /// Writes silence up to a playing time, at most one second.
  ///
  /// - Parameters:
  ///   - end: The playing time to reach.
  ///   - time: The present time.
  mutating func fill(until end: Double, at time: Double) throws(WorkerFailure) {
    guard let heard = heard(time), end > heard else { return }
    silence(seconds: min(end - heard, 1))
  }

  // MARK: Frames

  /// Prepares to write a block at the end of the ring's content: creates a converter for its rate if needed,
  /// and resets it.
  mutating func begin(_ block: TimedFrames) throws(WorkerFailure) {
    if converter?.rate != block.rate {
      converter = (
        try makeConverter(block.rate), block.rate, ConverterPlace(from: block.rate, to: Int(engineRate))
      )
    }
    corrector.restart()
    try converter?.made.correct(by: corrector.correction)
    try converter?.made.restart()
    converter?.place.correct(by: corrector.correction)
    converter?.place.restart()
    taken = 0
  }

  /// Writes a block that continues the previous one. Returns false if there is not enough room.
  mutating func write(_ block: TimedFrames) throws(WorkerFailure) -> Bool {
    anchor = (Double(taken), block.due)
    var (first, left) = (0, block.frames.count / 2)
    while left > 0, let made = converter?.made {
      let space = ring.contiguous()
      guard let room = space.baseAddress, space.count >= 2 else { return false }
      times.mark(ring.writeIndex, due: converter.map { due($0.place.next) })
      let (used, written) = try block.frames.withUnsafeBufferPointer { input throws(WorkerFailure) in
        try made.process(input.baseAddress! + first, frames: left, into: room, capacity: space.count / 2)
      }
      ring.advance(written)
      converter?.place.advance(written)
      taken += used
      first += 2 * used
      left -= used
      if used == 0, written == 0 { return false }
    }
    return true
  }

  /// Corrects the rate by the error of the next frame to be written, which includes all earlier corrections.
  /// Publishes the error of the frame that is heard now.
  ///
  /// - Parameter time: The present time.
  /// - Returns: By how many seconds the next frame will be late; nil without a recent report.
  mutating func steer(_ time: Double) throws(WorkerFailure) -> Double? {
    if let heard = times.error {
      let smooth = error.map { $0 + (heard - $0) / Self.smoothing } ?? heard
      error = smooth
      values.error = Int64(min(max(-60, smooth), 60) * 1e6)
    }
    guard let heard = heard(time), let place = converter?.place else { return nil }
    let late = heard - due(place.next)
    if corrector.note(late, at: time) {
      try converter?.made.correct(by: corrector.correction)
      converter?.place.correct(by: corrector.correction)
    }
    return late
  }
}
