// The ring of a live source whose frames have times: what is written into it, when that is due, and when it will be heard. Worker only, one
// thread.

import AudioRing

/// Writes frames and silence, and steers the rate at which frames are taken.
struct TimedOutput: ~Copyable {
  /// Frames of silence that are written at once.
  private static let piece = 512
  /// Errors over which the one that is published is averaged.
  private static let smoothing = 16.0

  /// What `status` says.
  var values = LiveFigures.Values()
  private var ring: RingWriter
  private let heardPlace: HeardPlace
  private let figures: LiveFigures
  private let engineRate: Double
  private var times: RingTimes
  private var corrector = DriftCorrector(target: 0, .firm)
  private let makeConverter: (Int) throws(WorkerFailure) -> any RateConverter
  /// The converter, the rate that it is for, and where it is; nil before the first frame.
  private var converter: (made: any RateConverter, rate: Int, place: ConverterPlace)?
  /// A frame of the converter's input, and when it is due.
  private var anchor = (frame: 0.0, due: 0.0)
  /// Frames that went into the converter.
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
  /// The rate of what was written last; 0 before.
  var rate: Int { converter?.rate ?? 0 }
  /// When what follows in the converter's input is due.
  var due: Double { due(Double(taken)) }

  private func due(_ frame: Double) -> Double { anchor.due + (frame - anchor.frame) / Double(max(1, rate)) }

  /// Shows the reader all that was written, and everyone how that is.
  mutating func publish() {
    ring.publish()
    values.partsPerMillion = Int64(corrector.correction.rounded())
    figures.values = values
  }

  /// Another sound begins, behind silence.
  mutating func restart() {
    times.restart()
    corrector.restart()
    error = nil
    values.error = nil
  }

  /// Takes note of what the output says; false where it has said nothing new.
  mutating func look() -> Bool {
    guard let place = heardPlace.last else { return false }
    return times.note(place.index, heardAt: Double(place.time) / 1e9)
  }

  /// When what is written next will be heard; nil where the output says nothing.
  func heard(_ time: Double) -> Double? { times.heard(ring.writeIndex, at: time) }

  /// Seconds until what is written next is heard.
  func ahead(_ time: Double) -> Double? { heard(time).map { $0 - time } }

  // MARK: Silence

  /// Writes silence; false where there is no room for all of it.
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

  /// Writes silence up to what is heard at a time.
  mutating func fill(until end: Double, at time: Double) throws(WorkerFailure) {
    guard let heard = heard(time), end > heard else { return }
    silence(seconds: min(end - heard, 1))
  }

  // MARK: Frames

  /// A block begins where the ring ends.
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

  /// Writes a block that follows what was written; false where there is no room for all of it.
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

  /// Steers by the frame that is written next: it will be heard so much later than it is due. That includes all that was steered before; the frame
  /// that is heard now, whose error is published, does not.
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
