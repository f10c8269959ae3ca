// A worker without a process: it holds the other end of a real socket and of a real ring. Healthy ones decode a signal; others
// do so until they are told to lie. One thread.

import AudioRing
import Platform
import PlaybackModel

/// Counts the workers of one trial.
final class Census {
  /// Those whose ring is mapped.
  var workers = 0
}

/// What stands in for one worker.
final class FakeWorker {
  /// What the engine takes for its process.
  let process: FakeProcess
  let layout: RingLayout
  let base: UnsafeMutableRawPointer
  /// Whether it does what a worker should.
  var isHonest: Bool
  /// What was sent last, to be sent again.
  private(set) var lastSent: [UInt8] = []
  /// The seek that the engine asked for last.
  private(set) var asked = Wire.Seek()
  /// What it does while it is honest.
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

  /// Whether a person should hear all of it.
  var isHealthy: Bool { decoding.source.isHealthy }

  /// Sends a packet, whatever is in it.
  func send(_ bytes: [UInt8]) {
    lastSent = bytes
    process.send(bytes)
  }

  /// Does what is due.
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

  /// Works as it should from now on; its track may have no end.
  func beHonest(endless: Bool) {
    isHonest = true
    if endless { decoding.source.length = nil }
  }

  /// Says what the file is, whatever was said before.
  func open(rate: UInt32) { send(decoding.opened(rate: rate)) }

  /// Answers the last seek, or says that there is enough to begin with; whether or not that is asked for.
  func announce() {
    fill()
    send(decoding.announcement(asked))
  }

  /// Writes frames wherever there is room for them.
  func fill() { decoding.fill() }
}
