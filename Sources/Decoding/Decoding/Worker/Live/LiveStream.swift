// A live source between its bytes and its ring: when its sound begins and stops, and how its clock is followed. Knows no clock and no
// descriptor; worker only, one thread.

import AudioRing
import PlaybackModel

/// What becomes of a live source's sound.
enum LiveNews: Equatable {
  /// Enough is in the ring, from an index on.
  case ready(index: UInt64)
  /// It has stopped; the ring ends at an index, for now.
  case silent(index: UInt64)
}

/// Writes what sounds into the ring. The sender never waits: what finds no room is dropped.
struct LiveStream: ~Copyable {
  /// Nanoseconds without a byte after which the sound has stopped.
  static let pause: UInt64 = 2_000_000_000
  /// Nanoseconds of silence after which it has: music has rests.
  static let maxRest: UInt64 = 10_000_000_000
  /// Seconds by which the delay may be too long before frames are dropped for it: what was held up comes at once.
  private static let tolerance = 1.0
  /// Nanoseconds after which what was said of the output is too old.
  private static let age: UInt64 = 500_000_000
  /// Frames that are looked at together.
  private static let piece = 512

  private enum Phase {
    /// Nothing sounds.
    case quiet
    /// What sounds goes into the ring.
    case sounding(from: UInt64, isReady: Bool)
    /// It sounds, and nobody wants it.
    case muted
  }

  private var phase = Phase.quiet
  private var samples: LiveSamples
  private var frames: [Float] = []
  private let threshold: Float
  private var ring: RingWriter
  private let heard: HeardPlace
  private let figures: LiveFigures
  private let converter: any RateConverter
  private var corrector: DriftCorrector
  private var values = LiveFigures.Values()
  private let rate: Double
  private let delay: Int
  /// When bytes came last, and when they were sound.
  private var last = (bytes: UInt64(0), sound: UInt64(0))
  /// Whether frames are dropped until the delay is right again.
  private var isCatchingUp = false
  private var news: [LiveNews] = []

  /// - Parameters:
  ///   - rate: The engine's, in Hz.
  ///   - delay: Milliseconds from a frame's arrival until it is heard.
  ///   - base: Where the ring is mapped.
  init(
    _ format: LiveFormat, rate: Int, delay: Int, threshold: Float, ring: consuming RingWriter,
    base: UnsafeMutableRawPointer, _ converter: any RateConverter
  ) {
    samples = LiveSamples(format)
    self.threshold = threshold
    self.ring = ring
    heard = HeardPlace(base: base)
    figures = LiveFigures(base: base)
    self.converter = converter
    self.rate = Double(rate)
    self.delay = rate * delay / 1000
    corrector = DriftCorrector(target: Double(delay) / 1000)
  }

  /// What has happened since the last time, oldest first.
  mutating func takeNews() -> [LiveNews] {
    defer { news = [] }
    return news
  }

  /// When `pass` has to be called; nil while nothing sounds.
  var deadline: UInt64? {
    if case .quiet = phase { return nil }
    return min(last.bytes + Self.pause, last.sound + Self.maxRest)
  }

  /// Takes bytes that have come at a time, nanoseconds of the monotonic clock.
  mutating func take(_ bytes: UnsafeRawBufferPointer, at now: UInt64) throws(WorkerFailure) {
    pass(now)
    last.bytes = now
    frames.removeAll(keepingCapacity: true)
    samples.take(bytes, into: &frames)
    var first = 0
    while first < frames.count {
      let end = min(first + 2 * Self.piece, frames.count)
      try take(first..<end, at: now)
      first = end
    }
    ring.publish()
    if case .sounding(let start, false) = phase, ring.writeIndex &- start >= UInt64(delay) {
      phase = .sounding(from: start, isReady: true)
      news.append(.ready(index: start))
    }
    if case .sounding(let start, _) = phase { try follow(since: start, now) }
    figures.values = values
  }

  /// Notes that time has passed.
  mutating func pass(_ now: UInt64) {
    guard let deadline, now >= deadline else { return }
    if case .sounding(_, let isReady) = phase, isReady { news.append(.silent(index: ring.writeIndex)) }
    samples.restart()
    phase = .quiet
    values.delay = 0
    figures.values = values
  }

  /// Nobody wants what sounds, until it stops and begins anew.
  mutating func dismiss() { if case .sounding = phase { phase = .muted } }

  /// Somebody wants it after all.
  mutating func listen() throws(WorkerFailure) { if case .muted = phase { try begin() } }

  private mutating func begin() throws(WorkerFailure) {
    try converter.restart()
    corrector.restart()
    try converter.correct(by: corrector.correction)
    isCatchingUp = false
    phase = .sounding(from: ring.writeIndex, isReady: false)
  }

  private mutating func take(_ range: Range<Int>, at now: UInt64) throws(WorkerFailure) {
    if isSound(range) { last.sound = now }
    switch phase {
    case .quiet:
      guard last.sound == now else { return }
      try begin()
      try write(range)
    case .sounding: try write(range)
    case .muted: values.dropped += Int64(range.count / 2)
    }
  }

  private func isSound(_ range: Range<Int>) -> Bool {
    for place in range where abs(frames[place]) >= threshold { return true }
    return false
  }

  private mutating func write(_ range: Range<Int>) throws(WorkerFailure) {
    var (first, left) = (range.lowerBound, range.count / 2)
    while left > 0 {
      let space = ring.contiguous()
      guard !isCatchingUp, let output = space.baseAddress, space.count >= 2 else {
        values.dropped += Int64(left)
        return
      }
      let converter = converter
      let (taken, written) = try frames.withUnsafeBufferPointer { input throws(WorkerFailure) in
        try converter.process(
          input.baseAddress! + first, frames: left, into: output, capacity: space.count / 2)
      }
      ring.advance(written)
      first += 2 * taken
      left -= taken
      if taken == 0, written == 0 { return }
    }
  }

  /// Goes by what the output says of its clock.
  private mutating func follow(since start: UInt64, _ now: UInt64) throws(WorkerFailure) {
    guard let place = heard.last, now &- place.time < Self.age || place.time > now,
      Int64(bitPattern: place.index &- start) >= -Int64(rate)
    else { return }
    let passed = Double(Int64(bitPattern: now &- place.time)) / 1e9
    let delay = Double(Int64(bitPattern: ring.writeIndex &- place.index)) / rate - passed
    values.delay = Int64(min(max(0, delay), 60) * 1e6)
    if delay > corrector.target + Self.tolerance { isCatchingUp = true }
    if delay <= corrector.target { isCatchingUp = false }
    if corrector.note(delay, at: Double(now) / 1e9) { try converter.correct(by: corrector.correction) }
    values.partsPerMillion = Int64(corrector.correction.rounded())
  }
}
