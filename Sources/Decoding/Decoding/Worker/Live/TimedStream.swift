// A timed live source from its blocks to its ring. Has no access to clocks, descriptors or the protocol;
// worker process only, one thread.

import AudioRing
import PlaybackModel

/// Writes frames to the ring so that each is heard at its presentation time.
///
/// Starts with silence until the output has reported its position often enough, then places the first frame
/// that is not late exactly. Rate corrections keep later frames on time. Frames are written shortly before
/// they are heard, so that earlier ones can still be dropped.
struct TimedStream: ~Copyable {
  /// Seconds without frames, and seconds of silence, after which the audio counts as stopped.
  private static let pause = 1.0
  private static let maxRest = 10.0
  /// Maximum length of the queue in seconds.
  private static let maxQueue = 24.0
  /// Maximum gap or overlap of two blocks in seconds. The sender's clock estimate is still settling.
  private static let seam = 0.002
  /// Playing time error in seconds above which the frames are placed again.
  private static let tolerance = 0.004
  /// Number of reports of the output over which that error is averaged, and number of reports before the
  /// first frame is placed.
  private static let smoothing = 8.0
  private static let turns = 5
  /// Nanoseconds between two calls of `pass`.
  private static let tick: UInt64 = 20_000_000

  private enum Phase {
    /// No audio.
    case quiet
    /// Silence is in the ring; `turns` reports of the output have been received.
    case finding(turns: Int)
    /// Frames are in the ring; `isPlaced` is false if the next block must be placed by silence or dropping.
    case sounding(isPlaced: Bool)
    /// Audio is dropped after `dismiss`.
    case muted
  }

  private var phase = Phase.quiet
  private var intake = TimedIntake()
  private var blocks: [TimedFrames] = []
  private var output: TimedOutput
  private let threshold: Float
  private let lead: Double
  /// Ends of the last block and of the last block above the threshold, and time of the last `pass`.
  private var last = (due: 0.0, sound: 0.0, look: UInt64(0))
  private var error = 0.0
  private var news: [LiveNews] = []

  /// Creates a stream.
  ///
  /// - Parameters:
  ///   - rate: The engine's rate in Hz.
  ///   - delay: How many milliseconds before they are heard frames are written.
  ///   - threshold: Level below which samples count as silence, 1.0 is full scale.
  ///   - ring: Receives the frames.
  ///   - base: Address of the ring's mapping.
  ///   - makeConverter: Creates a converter for a source's rate.
  init(
    rate: Int, delay: Int, threshold: Float, ring: consuming RingWriter, base: UnsafeMutableRawPointer,
    _ makeConverter: @escaping (Int) throws(WorkerFailure) -> any RateConverter
  ) {
    self.threshold = threshold
    lead = Double(delay) / 1000
    output = TimedOutput(rate: rate, ring: ring, base: base, makeConverter)
  }

  mutating func takeNews() -> [LiveNews] {
    defer { news = [] }
    return news
  }

  var deadline: UInt64? {
    if case .quiet = phase { return nil }
    return last.look + Self.tick
  }

  mutating func take(_ bytes: UnsafeRawBufferPointer, at now: UInt64) throws(WorkerFailure) {
    let former = blocks.count
    try intake.take(bytes, into: &blocks)
    let time = Double(now) / 1e9
    for block in blocks[former...] {
      last.due = max(last.due, block.end)
      if block.isSound(threshold) { last.sound = max(last.sound, block.end) }
      output.values.delay = Int64(min(max(0, block.due - time), 60) * 1e6)
    }
    if case .quiet = phase {
      // A block that ends before it could be heard does not start the audio.
      if last.sound > time { try begin() } else { blocks = [] }
    }
    try pass(now)
  }

  mutating func pass(_ now: UInt64) throws(WorkerFailure) {
    last.look = now
    let time = Double(now) / 1e9
    guard time < min(last.due + Self.pause, last.sound + Self.maxRest) else { return end() }
    let isNew = output.look()
    switch phase {
    case .quiet: break
    case .muted: drop(blocks.count)
    case .finding(let turns):
      try output.fill(until: time + lead, at: time)
      let known = turns + (isNew ? 1 : 0)
      phase = known < Self.turns ? .finding(turns: known) : .sounding(isPlaced: false)
      error = 0
    case .sounding:
      try write(time)
      if isNew { try follow(time) }
    }
    // Drops blocks that are late or exceed the queue, as when the output has stopped.
    while let first = blocks.first, first.end < time || last.due - first.due > Self.maxQueue { drop(1) }
    output.publish()
  }

  mutating func dismiss() {
    switch phase {
    case .quiet, .muted: break
    case .finding, .sounding:
      phase = .muted
      drop(blocks.count)
    }
  }

  mutating func listen() throws(WorkerFailure) { if case .muted = phase { try begin() } }

  private mutating func begin() throws(WorkerFailure) {
    output.restart()
    let index = output.writeIndex
    output.silence(seconds: lead)
    phase = .finding(turns: 0)
    news.append(.ready(index: index))
    output.publish()
  }

  private mutating func end() {
    switch phase {
    case .quiet: return
    case .muted: break
    case .finding, .sounding: news.append(.silent(index: output.writeIndex))
    }
    drop(blocks.count)
    phase = .quiet
    output.values.delay = 0
    output.values.error = nil
    output.publish()
  }

  private mutating func drop(_ count: Int) {
    for block in blocks.prefix(count) { output.values.dropped += Int64(block.frames.count / 2) }
    blocks.removeFirst(count)
  }

  /// Writes the blocks that are due soon.
  private mutating func write(_ time: Double) throws(WorkerFailure) {
    while let block = blocks.first, block.due < time + lead {
      guard try isPlaced(block, time) else { break }
      guard !blocks[0].frames.isEmpty else {
        blocks.removeFirst()
        continue
      }
      guard try output.write(blocks[0]) else {
        phase = .sounding(isPlaced: false)
        drop(1)
        continue
      }
      blocks.removeFirst()
    }
    // Prevents an underrun by writing silence in place of missing blocks.
    guard let ahead = output.ahead(time), ahead < lead / 2 else { return }
    phase = .sounding(isPlaced: false)
    try output.fill(until: time + lead / 2 + 0.01, at: time)
  }

  /// Whether the first block may be written now. If it does not continue the previous one, places it by
  /// silence before it or by dropping its first frames. False without a report of the output.
  private mutating func isPlaced(_ block: TimedFrames, _ time: Double) throws(WorkerFailure) -> Bool {
    if case .sounding(true) = phase, output.rate == block.rate, abs(block.due - output.due) < Self.seam {
      return true
    }
    guard let heard = output.heard(time) else { return false }
    if heard > block.due {
      // Drops the frames that are late.
      let late = ((heard - block.due) * Double(block.rate)).rounded(.up)
      let count = Int(min(late, Double(block.frames.count / 2)))
      output.values.dropped += Int64(count)
      blocks[0].skip(count)
      if blocks[0].frames.isEmpty { return true }
    }
    // Without room for the silence there is none for the frames either.
    guard output.silence(seconds: blocks[0].due - heard) else { return false }
    try output.begin(blocks[0])
    phase = .sounding(isPlaced: true)
    error = 0
    return true
  }

  /// Corrects the rate, and requests a new placement if the error is too large.
  private mutating func follow(_ time: Double) throws(WorkerFailure) {
    guard case .sounding(true) = phase, let late = try output.steer(time) else { return }
    error += (late - error) / Self.smoothing
    if abs(error) > Self.tolerance { phase = .sounding(isPlaced: false) }
  }
}
