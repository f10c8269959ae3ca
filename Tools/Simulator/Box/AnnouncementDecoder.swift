// Simulated decoder for announcements: some decode, one fails, one hangs. One thread.

import AudioRing
import Foundation
import Platform
import PlaybackModel
import Player

/// Decodes one announcement of `CueSignal`: after a delay, all of it at once.
final class AnnouncementDecoder: TrackDecoder {
  var onEvents: () -> Void = {}
  private let path: String
  private let pool: RingPool
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  private let timer: DeadlineTimer
  private var pending: [DecoderEvent] = []

  /// Nanoseconds until the announcement can be played.
  private static let opening: UInt64 = 30_000_000

  init(_ track: Track, _ scheduler: SimulatedScheduler, _ pool: RingPool) {
    path = track.path
    self.pool = pool
    base = pool.lend()
    writer = RingWriter(layout: pool.layout, base: base)
    timer = DeadlineTimer(scheduler)
    guard !path.hasSuffix("/stuck") else { return }
    timer.start(after: Self.opening) { [unowned(unsafe) self] in decode() }
  }

  deinit { pool.giveBack(base) }

  private func decode() {
    guard let number = CueSignal.announcement(path: path) else {
      pending = [.failed(PlaybackError(.corrupt, path: path))]
      return onEvents()
    }
    let place = writer.contiguous()
    let count = min(CueSignal.length(number), place.count / 2)
    for frame in 0..<count { (place[2 * frame], place[2 * frame + 1]) = (0, CueSignal.sample(number, frame)) }
    writer.commit(count)
    writer.finish()
    pending = [.ready(index: 0, position: .zero), .ended(index: writer.writeIndex)]
    onEvents()
  }

  var ring: RingReader { RingReader(layout: pool.layout, base: base) }

  func takeEvents() -> [DecoderEvent] {
    defer { pending = [] }
    return pending
  }

  func seek(to position: Frames, continuingAt index: UInt64) {}
  func wake() {}
  func expectRefill() {}
  func seal() -> UInt64 { writer.writeIndex }
  func terminate() { timer.stop() }
}
