// A live source whose frames say when they are to be heard, between its blocks and its ring. Knows no clock, no descriptor and no protocol; worker
// only, one thread.

import AudioRing
import PlaybackModel

/// Writes frames into the ring so that each is heard when it is due: the first one is placed, and what follows is steered.
///
/// Silence comes first, until the output has said often enough where it is; then the first frame that is not too late is placed exactly. A rate
/// that changes a little keeps the rest where it belongs. Frames are written not much before they are heard: what a server takes back, or
/// where its buffer is long, they wait here.
struct TimedStream: ~Copyable {
  /// Seconds without a frame after which the sound has stopped, and of silence after which it has.
  private static let pause = 1.0
  private static let maxRest = 10.0
  /// Seconds of frames that wait at most.
  private static let maxQueue = 24.0
  /// Seconds by which a block may begin beside the end of the one before: its times are a clock's, which is still being learnt.
  private static let seam = 0.002
  /// Seconds by which frames may be heard at a wrong time before they are placed anew.
  private static let tolerance = 0.004
  /// Over how many places of the output an error is averaged for that, and how many come before the first frame.
  private static let smoothing = 8.0
  private static let turns = 5
  /// Nanoseconds between two looks at what is to be written.
  private static let tick: UInt64 = 20_000_000

  private enum Phase {
    /// Nothing sounds.
    case quiet
    /// Silence is in the ring; so many places of the output are known.
    case finding(turns: Int)
    /// Frames are in the ring, one behind the other; or the next one has to be placed.
    case sounding(isPlaced: Bool)
    /// It sounds, and nobody wants it.
    case muted
  }

  private var phase = Phase.quiet
  private var intake = TimedIntake()
  private var blocks: [TimedFrames] = []
  private var output: TimedOutput
  private let threshold: Float
  private let lead: Double
  /// When frames end that have come, and those that were sound; when this was looked at last.
  private var last = (due: 0.0, sound: 0.0, look: UInt64(0))
  private var error = 0.0
  private var news: [LiveNews] = []

  /// - Parameters:
  ///   - rate: The engine's, in Hz.
  ///   - delay: Milliseconds before they are heard at which frames are written.
  ///   - base: Where the ring is mapped.
  ///   - makeConverter: Makes a converter from a source's rate.
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
      // What is over before it could be heard begins nothing.
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
    // Where nothing is heard nothing waits for it.
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

  /// Writes what is to be heard soon.
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
    // It never runs dry: silence keeps the place of what does not come.
    guard let ahead = output.ahead(time), ahead < lead / 2 else { return }
    phase = .sounding(isPlaced: false)
    try output.fill(until: time + lead / 2 + 0.01, at: time)
  }

  /// Whether the first block may be written now: it follows what was written, or silence before it, or less of it, has placed it. False where the
  /// output says nothing of where it is.
  private mutating func isPlaced(_ block: TimedFrames, _ time: Double) throws(WorkerFailure) -> Bool {
    if case .sounding(true) = phase, output.rate == block.rate, abs(block.due - output.due) < Self.seam {
      return true
    }
    guard let heard = output.heard(time) else { return false }
    if heard > block.due {
      // What is too late already.
      let late = ((heard - block.due) * Double(block.rate)).rounded(.up)
      let count = Int(min(late, Double(block.frames.count / 2)))
      output.values.dropped += Int64(count)
      blocks[0].skip(count)
      if blocks[0].frames.isEmpty { return true }
    }
    // Where there is no room for silence there is none for frames.
    guard output.silence(seconds: blocks[0].due - heard) else { return false }
    try output.begin(blocks[0])
    phase = .sounding(isPlaced: true)
    error = 0
    return true
  }

  /// Goes by what the output says of its clock.
  private mutating func follow(_ time: Double) throws(WorkerFailure) {
    guard case .sounding(true) = phase, let late = try output.steer(time) else { return }
    error += (late - error) / Self.smoothing
    if abs(error) > Self.tolerance { phase = .sounding(isPlaced: false) }
  }
}
