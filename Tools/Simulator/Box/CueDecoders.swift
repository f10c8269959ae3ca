// Simulated decoders for the files that replace built-in cues. One thread.

import AudioRing
import Decoding
import Foundation
import Platform
import PlaybackModel
import Player

/// Decoder source for cue files. Its decoders deliver the whole cue immediately.
final class CueDecoders: DecoderSource {
  private let scheduler: SimulatedScheduler
  private let layout: RingLayout
  private let noteLoading: (_ isUnderWay: Bool) -> Void

  init(
    _ scheduler: SimulatedScheduler, _ layout: RingLayout, noteLoading: @escaping (_ isUnderWay: Bool) -> Void
  ) {
    self.scheduler = scheduler
    self.layout = layout
    self.noteLoading = noteLoading
  }

  func open(_ track: Track, at position: Frames) throws(PlaybackError) -> any TrackDecoder {
    guard let cue = CueSignal.number(path: track.path) else {
      throw PlaybackError(.missing, path: track.path)
    }
    noteLoading(true)
    return CueDecoder(cue, scheduler, layout, noteLoading)
  }
}

final class CueDecoder: TrackDecoder {
  var onEvents: () -> Void = {}
  private let layout: RingLayout
  private let base: UnsafeMutableRawPointer
  private var writer: RingWriter
  private let timer: DeadlineTimer
  private var pending: [DecoderEvent] = []
  private let noteLoading: (_ isUnderWay: Bool) -> Void

  init(
    _ cue: Int, _ scheduler: SimulatedScheduler, _ layout: RingLayout,
    _ noteLoading: @escaping (_ isUnderWay: Bool) -> Void
  ) {
    self.layout = layout
    self.noteLoading = noteLoading
    base = .allocate(byteCount: layout.totalBytes, alignment: 4096)
    base.initializeMemory(as: UInt8.self, repeating: 0, count: layout.totalBytes)
    writer = RingWriter(layout: layout, base: base)
    timer = DeadlineTimer(scheduler)
    // Immediate, because the built-in cue plays instead of a file that is not loaded yet.
    timer.start(after: 0) { [unowned(unsafe) self] in
      let place = writer.contiguous()
      let count = min(CueSignal.length(cue), place.count / 2)
      for frame in 0..<count {
        (place[2 * frame], place[2 * frame + 1]) = (0, CueSignal.sample(cue, frame))
      }
      writer.commit(count)
      writer.finish()
      pending = [.ready(index: 0, position: .zero), .ended(index: writer.writeIndex)]
      onEvents()
    }
  }

  deinit { base.deallocate() }

  var ring: RingReader { RingReader(layout: layout, base: base) }

  func takeEvents() -> [DecoderEvent] {
    defer { pending = [] }
    return pending
  }

  func seek(to position: Frames, continuingAt index: UInt64) {}
  func wake() {}
  func expectRefill() {}
  func seal() -> UInt64 { writer.writeIndex }
  func terminate() {
    timer.stop()
    noteLoading(false)
  }
}
