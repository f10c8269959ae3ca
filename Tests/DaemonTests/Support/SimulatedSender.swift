// Live sources in simulated time: a sender and its receiver. One thread.

import AudioRing
import Platform
import PlaybackModel
import Player

@testable import Simulator

/// The sender of a source; it outlives the receiver processes.
final class SimulatedSender {
  /// The value of every sample sent; nil sends nothing.
  var level: Float?
  /// Reported synchronization error in microseconds; nil if the frames have no timestamps.
  var error: Int64?
  /// The reason why a receiver ends right after its start.
  var failure: String?
  /// How often a receiver was started.
  fileprivate(set) var starts = 0
  /// Calls to the receivers, in order.
  fileprivate(set) var calls: [String] = []
  fileprivate(set) weak var receiver: SimulatedReceiver?
}

/// Receives like a live worker: its ring holds the source's delay before it is ready, and after a dismissal
/// it waits for the next beginning.
final class SimulatedReceiver: LiveReceiver {
  private static let block: UInt64 = 20_000_000
  private static let pause: UInt64 = 2_000_000_000

  private enum Phase { case quiet, sounding(from: UInt64, isReady: Bool), muted }

  var onEvents: () -> Void = {}
  private let sender: SimulatedSender
  private let clock: SimulatedScheduler
  private let timer: DeadlineTimer
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  private let frames: Int
  private let delay: UInt64
  private var phase = Phase.quiet
  private var lastSound: UInt64 = 0
  private var pending: [LiveEvent] = []

  init(_ sender: SimulatedSender, _ source: LiveSource, rate: SampleRate, _ clock: SimulatedScheduler) {
    self.sender = sender
    self.clock = clock
    timer = DeadlineTimer(clock)
    layout = RingLayout(rate: rate)
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    writer = RingWriter(layout: layout, base: base)
    frames = rate.hertz / 50
    delay = UInt64(rate.hertz * source.delay / 1000)
    sender.starts += 1
    sender.receiver = self
    wait()
  }

  deinit { base.deallocate() }

  private func wait() {
    timer.start(after: Self.block) { [unowned(unsafe) self] in
      // The callback may terminate this receiver.
      withExtendedLifetime(self) { work() }
    }
  }

  private func work() {
    wait()
    if let failure = sender.failure {
      pending.append(.failed(failure))
    } else if let level = sender.level {
      lastSound = clock.now
      take(level)
    } else if clock.now > lastSound + Self.pause {
      if case .sounding(_, true) = phase { pending.append(.silent) }
      phase = .quiet
    }
    if !pending.isEmpty { onEvents() }
  }

  private func take(_ level: Float) {
    if case .quiet = phase { phase = .sounding(from: writer.writeIndex, isReady: false) }
    guard case .sounding(let start, let isReady) = phase else { return }
    var left = frames
    while left > 0 {
      let space = writer.contiguous()
      let count = min(left, space.count / 2)
      guard count > 0 else { break }
      for i in 0..<2 * count { space[i] = level }
      writer.commit(count)
      left -= count
    }
    guard !isReady, writer.writeIndex - start >= delay else { return }
    phase = .sounding(from: start, isReady: true)
    pending.append(.ready(index: start))
  }

  var ring: RingReader { RingReader(layout: layout, base: base) }

  var figures: LiveFigures.Values {
    var values = LiveFigures.Values()
    (values.delay, values.partsPerMillion, values.dropped) = (248_000, -17, 3)
    values.error = sender.error
    return values
  }

  func takeEvents() -> [LiveEvent] {
    defer { pending = [] }
    return pending
  }

  func dismiss() {
    sender.calls.append("dismiss")
    if case .sounding = phase { phase = .muted }
  }

  func listen() {
    sender.calls.append("listen")
    if case .muted = phase { phase = .quiet }
  }

  func terminate() {
    timer.stop()
    onEvents = {}
  }
}
