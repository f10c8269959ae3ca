// Simulated worker process: fills a ring in plain memory at its own pace, and misbehaves as its `TrackPlan` says. One
// thread.

import AudioRing
import Platform
import PlaybackModel
import Player
import RealtimeAudio

/// Decoder of one simulated track.
final class SimulatedDecoder: TrackDecoder {
  enum Phase {
    case opening(until: UInt64)
    case filling(next: UInt64)
    case seeking(until: UInt64, to: Int, index: UInt64)
    /// The ring is full; checks again at this time.
    case resting(until: UInt64)
    /// Finished, or unable to do anything.
    case idle
  }

  /// Nanoseconds without an answer after which the worker counts as hung.
  static let timeout: UInt64 = 8_000_000_000
  private static let chunk = 512

  let id: Int
  var onEvents: () -> Void = {}
  private let news: DeadlineTimer
  private let timeoutTimer: DeadlineTimer
  private(set) var isTerminated = false
  /// When the track became playable, in nanoseconds; nil before that.
  var readySince: UInt64?
  let source: SimulatedDecoders
  private let number: Int
  let plan: TrackPlan
  var track: Track
  private let base: UnsafeMutableRawPointer
  var writer: RingWriter
  var phase: Phase
  private var pending: [DecoderEvent] = []
  /// Next frame of the track to write into the ring.
  var position: Int
  /// Event to report once the ring holds enough frames from an index on.
  var owedAnswer: (from: UInt64, event: DecoderEvent)?
  var hasStalled = false
  /// When the worker stopped writing because it died or hangs; nil while it works.
  var stopped: UInt64?
  /// Index after the file's last frame.
  var end: Int
  /// Positions reached, with the time at which each was reached.
  var progress: [(time: UInt64, position: Int)] = []
  var isOver = false
  /// Whether its next frame follows the last one of a decoder that died.
  var isSuccessor = false
  var deadline: UInt64? {
    didSet {
      guard let deadline else { return timeoutTimer.stop() }
      timeoutTimer.start(at: deadline) { [unowned(unsafe) self] in onEvents() }
    }
  }

  init(
    _ id: Int, _ track: Track, _ number: Int, _ plan: TrackPlan, at position: Int,
    of source: SimulatedDecoders
  ) {
    self.id = id
    self.track = track
    self.number = number
    self.plan = plan
    self.source = source
    end = plan.length
    if case .truncated(let place) = plan.fault { end = min(max(0, place), plan.length) }
    self.position = min(max(0, position), end)
    news = DeadlineTimer(source.scheduler)
    timeoutTimer = DeadlineTimer(source.scheduler)
    base = source.pool.lend()
    writer = RingWriter(layout: source.pool.layout, base: base)
    let now = source.scheduler.now
    phase = plan.fault == .hangs ? .idle : .opening(until: now + UInt64(plan.opening) * 1_000_000)
    deadline = now + Self.timeout
    timeoutTimer.start(after: Self.timeout) { [unowned(unsafe) self] in onEvents() }
    var isSane = true
    if case .garbage = plan.fault { isSane = false }
    if case .lies = plan.fault { isSane = false }
    source.listener.opened(id, track: number, at: self.position, end: plan.length, isSane: isSane)
  }

  deinit {
    source.forget(id)
    source.listener.closed(id)
    source.pool.giveBack(base)
  }

  var now: UInt64 { source.scheduler.now }
  /// Frames before the track is ready: a quarter of a second, but as many of the mixer's quanta as at a real card's
  /// rate.
  private var prefill: Int { max(source.rate.hertz, 8000) / 4 }
  var isOnStick: Bool { plan.isOnStick }

  // MARK: Work

  /// When `work()` is next needed, in nanoseconds; nil if there is nothing to do.
  var due: UInt64? {
    guard !isTerminated, !isOver, source.storage > 0 else { return nil }
    switch phase {
    case .opening(let time), .filling(let time), .resting(let time), .seeking(let time, _, _): return time
    case .idle: return nil
    }
  }

  func work() {
    guard let due, due <= now else { return }
    switch phase {
    case .opening: open()
    case .filling: fill(Self.chunk)
    case .resting: rest()
    case .seeking(_, let target, let index): land(target, index)
    case .idle: break
    }
  }

  func storageChanged() {
    if source.storage == 0 { ring.storageWaits.begin(at: now) } else { ring.storageWaits.end(at: now) }
    if case .filling = phase { phase = .filling(next: now) }
  }

  func tell(_ event: DecoderEvent) {
    guard !isTerminated else { return }
    pending.append(event)
    news.start(after: 0) { [unowned(unsafe) self] in onEvents() }
  }

  func fail(_ kind: PlaybackError.Kind) {
    guard !isOver, !isTerminated else { return }
    isOver = true
    deadline = nil
    tell(.failed(PlaybackError(kind, path: track.path)))
  }

  private func open() {
    // As in a real worker, a missing file is noticed on opening.
    if plan.isOnStick, source.isStickOut { return fail(.missing) }
    if plan.fault == .unreadable { return fail(.corrupt) }
    if plan.tellsLength {
      var length = plan.length
      if case .lies(let excess) = plan.fault { length = max(0, length + excess) }
      track.length = Frames(Int64(length))
    }
    if plan.album > 0 {
      track.album = "\(plan.album)"
      track.trackNumber = number + 1
    }
    tell(.opened(track))
    owedAnswer = (writer.writeIndex, .ready(index: 0, position: Frames(Int64(position))))
    fill(prefill)
  }

  /// Reports the pending answer once the ring holds enough frames.
  private func answer() {
    guard let (start, event) = owedAnswer,
      position == end || writer.free == 0 || writer.writeIndex &- start >= UInt64(prefill)
    else { return }
    owedAnswer = nil
    readySince = now
    deadline = nil
    tell(event)
  }

  private func land(_ target: Int, _ index: UInt64) {
    if plan.fault == .seekFails { return fail(.corrupt) }
    writer.restart(at: index)
    position = min(max(0, target), end)
    progress = []
    stopped = nil
    // A replacement continues where its predecessor stopped.
    if isSuccessor { isSuccessor = false } else { source.listener.moved(id, to: position) }
    owedAnswer = (index, .seeked(index: index, position: Frames(Int64(position))))
    fill(prefill)
  }

  private func rest() {
    if writer.free >= source.pool.layout.capacity / 4 {
      fill(Self.chunk)
    } else {
      phase = .resting(until: now + 300_000_000)
    }
  }

  /// Writes up to `wanted` frames and schedules the next write.
  private func fill(_ wanted: Int) {
    var limit = min(end, position + wanted)
    switch plan.fault {
    case .fails(let place), .crashes(let place), .garbage(let place), .sticks(let place):
      limit = min(limit, max(place, position))
    case .stalls(let place, _) where !hasStalled: limit = min(limit, max(place, position))
    default: break
    }
    let before = position
    ring.storageWaits.end(at: now)
    while position < limit, writer.free > 0 { write(upTo: limit) }
    if position > before {
      progress.append((now, position))
      if progress.count > 64 { progress.removeFirst(32) }
    }
    if position > before, owedAnswer == nil { deadline = nil }
    answer()
    if position == end {
      writer.finish()
      phase = .idle
      return tellEnd()
    }
    switch plan.fault {
    case .fails(let place) where position >= place: return fail(.corrupt)
    case .crashes(let place) where position >= place: return die(.decoderCrashed)
    case .sticks(let place) where position >= place: return hang()
    case .garbage(let place) where position >= place:
      base.storeBytes(of: UInt64.max - 12345, toByteOffset: RingLayout.writeIndexOffset, as: UInt64.self)
      phase = .idle
      return
    case .stalls(let place, let length) where position >= place && !hasStalled:
      hasStalled = true
      ring.storageWaits.begin(at: now)
      phase = .filling(next: now + UInt64(length) * 1_000_000)
      return
    default: break
    }
    guard writer.free > 0 else {
      phase = .resting(until: now + 300_000_000)
      return
    }
    let speed = UInt64(max(1, plan.speed * max(1, source.storage)))
    phase = .filling(
      next: now + UInt64(max(1, position - before)) * 100_000_000_000 / UInt64(source.rate.hertz) / speed)
  }

  private func write(upTo end: Int) {
    let place = writer.contiguous()
    let count = min(end - position, place.count / 2)
    guard let samples = place.baseAddress else { return }
    let source = Signal.Source(decoder: id)
    for i in 0..<count {
      samples[2 * i] = Signal.level
      samples[2 * i + 1] = Signal.level * Signal.mark(source, position + i)
    }
    writer.commit(count)
    position += count
  }

  // MARK: TrackDecoder

  var ring: RingReader { RingReader(layout: source.pool.layout, base: base) }

  func takeEvents() -> [DecoderEvent] {
    if let deadline, now >= deadline {
      self.deadline = nil
      die(.decoderHung)
    }
    let events = isTerminated ? [] : pending
    pending = []
    return events
  }

  func seek(to position: Frames, continuingAt index: UInt64) {
    guard !isOver else { return }
    stopped = nil
    isSuccessor = false
    // Events that the seek made obsolete are not reported, as in a real worker.
    owedAnswer = nil
    pending.removeAll { event in
      switch event {
      case .ready, .seeked, .ended, .titled, .leftOut: true
      case .opened, .measured, .failed, .died: false
      }
    }
    let wait = UInt64(plan.seeking) * 1_000_000
    phase = .seeking(until: now + wait, to: Int(position.count), index: index)
    deadline = now + Self.timeout
  }

  func wake() {
    if case .resting = phase { phase = .resting(until: now) }
  }

  func expectRefill() {
    if !isOver { deadline = now + Self.timeout }
  }

  func seal() -> UInt64 {
    isOver = true
    writer.finish()
    source.listener.ends(id, at: position)
    return writer.writeIndex
  }

  func terminate() {
    isTerminated = true
    isOver = true
    source.listener.left(id)
    news.stop()
    deadline = nil
  }
}
