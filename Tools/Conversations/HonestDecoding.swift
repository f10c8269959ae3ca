// Correct behavior of a worker: writes frames into the ring and sends messages about them. A value; one thread.

import AudioRing

/// Decodes one synthetic track.
struct HonestDecoding: ~Copyable {
  /// Properties of the track.
  struct Source {
    /// Number of the healthy track; nil for a hostile one.
    var track: Int?
    /// Length in frames; nil if it never ends.
    var length: Int?
    /// Level of a hostile track's signal.
    var level: Float = 0

    var isHealthy: Bool { track != nil }
  }

  var source: Source
  private var writer: RingWriter
  private let capacity: Int
  /// Next frame of the track, and the first frame since the last seek.
  private var position: Int
  private var start: Int
  private var startIndex: UInt64 = 0
  private var isOpened = false
  private var isAnnounced = false
  private var hasEnded = false

  init(_ source: Source, from start: Int, _ writer: consuming RingWriter, _ layout: RingLayout) {
    self.source = source
    self.writer = writer
    capacity = layout.capacity
    position = max(0, min(start, source.length ?? start))
    self.start = position
  }

  mutating func move(to seek: Wire.Seek) {
    writer.restart(at: seek.index)
    position = min(Int(clamping: seek.position), source.length ?? .max / 2)
    (startIndex, start, isAnnounced, hasEnded) = (seek.index, position, false, false)
  }

  /// Returns the messages that are due and were not sent yet.
  mutating func news(_ asked: Wire.Seek) -> [[UInt8]] {
    var news: [[UInt8]] = []
    if !isOpened { news.append(opened(rate: 8000)) }
    if !isAnnounced { news.append(announcement(asked)) }
    if let length = source.length, position >= length, !hasEnded {
      hasEnded = true
      writer.finish()
      news.append(Wire.answer(4, asked.generation, writer.writeIndex, UInt64(length)))
    }
    return news
  }

  mutating func opened(rate: UInt32) -> [UInt8] {
    isOpened = true
    let frames = source.length.map { UInt64($0) } ?? Wire.noLength
    return Wire.opened(Wire.Stream(rate: rate, sourceFrames: frames, totalFrames: frames))
  }

  mutating func announcement(_ asked: Wire.Seek) -> [UInt8] {
    isAnnounced = true
    return asked.generation == 0
      ? Wire.ready(startIndex, UInt64(start)) : Wire.answer(3, asked.generation, startIndex, UInt64(start))
  }

  /// Fills the ring.
  mutating func fill() {
    // A corrupted header may contain anything, which `RingWriter` does not expect.
    let used = Int64(bitPattern: writer.writeIndex &- writer.retainIndex)
    guard used >= -1 << 20, used <= 1 << 20 else { return }
    var room = capacity
    while room > 0 {
      let space = writer.contiguous()
      let count = min(space.count / 2, source.length.map { $0 - position } ?? .max)
      guard count > 0 else { return }
      room -= count
      for frame in 0..<count {
        let place = position + frame
        if let track = source.track {
          space[2 * frame] = HealthySignal.level
          space[2 * frame + 1] = HealthySignal.level * HealthySignal.ratio(track << 15 | place)
        } else {
          space[2 * frame] = -source.level
          space[2 * frame + 1] = place & 1 == 0 ? source.level : -source.level
        }
      }
      writer.commit(count)
      position += count
    }
  }
}
