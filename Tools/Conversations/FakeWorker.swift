// Simulated worker on the other end of a real socket and a real ring. Healthy ones decode a signal; hostile ones do
// so until they misbehave. One thread.

import AudioRing
import Platform
import PlaybackModel

/// Counts the workers of one trial, to detect leaks.
final class Census {
  /// Workers whose ring is mapped.
  var workers = 0
}

/// Simulated worker.
final class FakeWorker {
  /// Stand-in for its process.
  let process: FakeProcess
  let layout: RingLayout
  let base: UnsafeMutableRawPointer
  /// Whether it currently behaves correctly.
  var isHonest: Bool
  /// Last packet sent, for repetition.
  private(set) var lastSent: [UInt8] = []
  /// Last seek that the engine requested.
  private(set) var asked = Wire.Seek()
  /// Correct decoding, used while `isHonest`.
  private var decoding: HonestDecoding
  private let memory: SharedMemory
  private let census: Census
  private var buffer = [UInt8](repeating: 0, count: 64)

  init(
    _ process: FakeProcess, _ source: HonestDecoding.Source, from start: Int, ring: consuming SharedMemory,
    _ layout: RingLayout, _ census: Census
  ) {
    self.process = process
    self.census = census
    census.workers += 1
    self.layout = layout
    base = ring.base
    memory = ring
    isHonest = source.isHealthy
    decoding = HonestDecoding(source, from: start, RingWriter(layout: layout, base: base), layout)
  }

  deinit { census.workers -= 1 }

  /// Whether its whole track must be heard.
  var isHealthy: Bool { decoding.source.isHealthy }

  /// Sends a packet with any contents.
  func send(_ bytes: [UInt8]) {
    lastSent = bytes
    process.send(bytes)
  }

  /// Processes messages and, if honest, decodes.
  func work() {
    while let count = process.receive(into: &buffer) {
      guard let seek = Wire.Seek(buffer[..<count]) else { continue }
      asked = seek
      if isHonest { decoding.move(to: seek) }
    }
    guard isHonest, !process.isDead else { return }
    decoding.fill()
    for message in decoding.news(asked) { send(message) }
  }

  /// Behaves correctly from now on.
  /// - Parameter endless: Whether its track never ends.
  func beHonest(endless: Bool) {
    isHonest = true
    if endless { decoding.source.length = nil }
  }

  /// Sends the stream's properties, even if already sent.
  func open(rate: UInt32) { send(decoding.opened(rate: rate)) }

  /// Sends `ready` or the answer to the last seek, even if not requested.
  func announce() {
    fill()
    send(decoding.announcement(asked))
  }

  /// Fills the ring.
  func fill() { decoding.fill() }
}
