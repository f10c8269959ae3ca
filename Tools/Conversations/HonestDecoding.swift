// The work of a worker as it should be: frames into the ring, and messages about them. A value; one thread.

import AudioRing

/// Decodes one made-up track.
struct HonestDecoding: ~Copyable {
  /// What is decoded.
  struct Source {
    /// Of a healthy track; nil for a hostile one.
    var track: Int?
    /// Frames; nil where it never ends.
    var length: Int?
    /// What a hostile one sounds like.
    var level: Float = 0

    var isHealthy: Bool { track != nil }
  }

  var source: Source
  private var writer: RingWriter
  private let capacity: Int
  /// The next frame of the track, and the one that the present stretch began with.
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

  /// What is to be said and was not said yet.
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

  /// Writes frames wherever there is room for them.
  mutating func fill() {
    // A header that was scribbled on says anything; a writer of ours does not expect that.
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
