// A live source from its bytes to its ring: detects start and end of the audio, and compensates clock drift.
// Has no access to clocks or descriptors; worker process only, one thread.

import AudioRing
import PlaybackModel

/// An event of a live source.
enum LiveNews: Equatable {
  /// Enough audio is in the ring, from an index on.
  case ready(index: UInt64)
  /// The audio has stopped; it ends at an index of the ring.
  case silent(index: UInt64)
}

/// Writes a live source's audio to the ring. Never blocks the sender: frames without room are dropped.
struct LiveStream: ~Copyable {
  /// Nanoseconds without bytes after which the audio counts as stopped.
  static let pause: UInt64 = 2_000_000_000
  /// Nanoseconds of silent samples after which the audio counts as stopped. Longer, because music has rests.
  static let maxRest: UInt64 = 10_000_000_000
  /// Seconds of excess delay above which frames are dropped, as after a network stall.
  private static let tolerance = 1.0
  /// Nanoseconds after which the output's report of its position is ignored.
  private static let age: UInt64 = 500_000_000
  /// Number of frames processed at once.
  private static let piece = 512

  private enum Phase {
    /// No audio.
    case quiet
    /// Audio is written to the ring.
    case sounding(from: UInt64, isReady: Bool)
    /// Audio is dropped after `dismiss`.
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
  /// Time of the last bytes, and of the last bytes above the threshold.
  private var last = (bytes: UInt64(0), sound: UInt64(0))
  /// Whether frames are dropped to reduce the delay.
  private var isCatchingUp = false
  private var news: [LiveNews] = []

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - format: The format of the source's bytes.
  ///   - rate: The engine's rate in Hz.
  ///   - delay: Milliseconds from a frame's arrival until it is played.
  ///   - threshold: Level below which samples count as silence, 1.0 is full scale.
  ///   - ring: Receives the frames.
  ///   - base: Address of the ring's mapping.
  ///   - converter: Converts from the source's rate to the engine's.
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

  /// Returns the events since the last call, oldest first.
  mutating func takeNews() -> [LiveNews] {
    defer { news = [] }
    return news
  }

  /// When to call `pass`; nil while there is no audio.
  var deadline: UInt64? {
    if case .quiet = phase { return nil }
    return min(last.bytes + Self.pause, last.sound + Self.maxRest)
  }

  /// Processes received bytes.
  ///
  /// - Parameters:
  ///   - bytes: The bytes.
  ///   - now: Nanoseconds of the monotonic clock.
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

  /// Checks the timeouts.
  mutating func pass(_ now: UInt64) {
    guard let deadline, now >= deadline else { return }
    if case .sounding(_, let isReady) = phase, isReady { news.append(.silent(index: ring.writeIndex)) }
    samples.restart()
    phase = .quiet
    values.delay = 0
    figures.values = values
  }

  /// Drops the present audio until it stops and starts again.
  mutating func dismiss() { if case .sounding = phase { phase = .muted } }

  /// Reports the present audio as a new beginning, after `dismiss`.
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

  /// Measures the delay from the output's reported position, and corrects the rate.
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
