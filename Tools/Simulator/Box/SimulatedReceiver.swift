// Simulated receiver process of a live source: fills a ring in plain memory while its sender sends. One thread.

import AudioRing
import Platform
import PlaybackModel
import Player

/// Receives at the card's clock rate. Clock drift of genuine senders is covered by other tests.
final class SimulatedReceiver: LiveReceiver {
  private enum Phase {
    case quiet
    case sounding(from: UInt64, isReady: Bool)
    /// The sender sends, and the player has dismissed its sound.
    case muted
  }

  /// Nanoseconds without sound after which the live input has ended.
  private static let pause: UInt64 = 2_000_000_000
  /// Nanoseconds between two writes.
  private static let piece: UInt64 = 20_000_000

  let id: Int
  var onEvents: () -> Void = {}
  private let sender: Sender
  private let receivers: SimulatedReceivers
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  private let news: DeadlineTimer
  private let delay: Int
  private let endsBefore: Int
  private var phase = Phase.quiet
  private var pending: [LiveEvent] = []
  private var isOver = false
  private var nextPiece: UInt64
  /// When sound arrived last, and the fraction of a frame carried to the next write.
  private var (lastSound, rest): (UInt64, Double) = (0, 0)

  init(_ sender: Sender, _ source: LiveSource, of receivers: SimulatedReceivers) {
    id = receivers.begin()
    self.sender = sender
    self.receivers = receivers
    endsBefore = sender.ends
    delay = receivers.rate * source.delay / 1000
    base = receivers.pool.lend()
    writer = RingWriter(layout: receivers.pool.layout, base: base)
    news = DeadlineTimer(receivers.scheduler)
    nextPiece = receivers.scheduler.now + Self.piece
    receivers.add(self)
  }

  deinit {
    receivers.remove(id)
    receivers.pool.giveBack(base)
  }

  /// Index after the last frame written.
  var written: UInt64 { writer.writeIndex }

  // MARK: Work

  /// When `work()` is next needed, in nanoseconds; nil once it has ended.
  var due: UInt64? { isOver ? nil : nextPiece }

  func work() {
    let now = receivers.scheduler.now
    guard let due, due <= now else { return }
    let passed = now - (due - Self.piece)
    nextPiece = now + Self.piece
    if sender.ends != endsBefore { return fail("its sound has ended") }
    guard sender.isSounding else { return pass(now) }
    lastSound = now
    if case .quiet = phase { begin() }
    guard case .sounding(let start, let isReady) = phase else { return }
    let frames = Double(passed) * receivers.framesPerNanosecond + rest
    write(Int(frames))
    rest = frames - frames.rounded(.down)
    if !isReady, writer.writeIndex - start >= UInt64(delay) {
      phase = .sounding(from: start, isReady: true)
      tell(.ready(index: start))
    }
  }

  private func begin() {
    phase = .sounding(from: writer.writeIndex, isReady: false)
    rest = 0
  }

  private func pass(_ now: UInt64) {
    if case .quiet = phase { return }
    guard now >= lastSound + Self.pause else { return }
    if case .sounding(_, true) = phase { tell(.silent) }
    phase = .quiet
  }

  /// Frames that do not fit into the ring are dropped.
  private func write(_ wanted: Int) {
    var left = min(wanted, writer.free)
    let source = LiveInputSignal.source(id)
    while left > 0 {
      let place = writer.contiguous()
      let count = min(left, place.count / 2)
      for i in 0..<count {
        place[2 * i] = LiveInputSignal.level
        place[2 * i + 1] = LiveInputSignal.level * Signal.mark(source, Int(writer.writeIndex) + i)
      }
      writer.commit(count)
      left -= count
    }
  }

  private func tell(_ event: LiveEvent) {
    guard !isOver else { return }
    pending.append(event)
    news.start(after: 0) { [unowned(unsafe) self] in onEvents() }
  }

  private func fail(_ reason: String) {
    tell(.failed(reason))
    isOver = true
  }

  // MARK: LiveReceiver

  var ring: RingReader { RingReader(layout: receivers.pool.layout, base: base) }
  var figures: LiveFigures.Values { ring.liveFigures.values }

  func takeEvents() -> [LiveEvent] {
    defer { pending = [] }
    return pending
  }

  func dismiss() { if case .sounding = phase { phase = .muted } }
  func listen() { if case .muted = phase { begin() } }

  func terminate() {
    isOver = true
    news.stop()
  }
}
