// Death, hang and early end of a simulated decoder, and the start of its replacement. One thread.

import AudioRing
import PlaybackModel
import Player
import RealtimeAudio

extension SimulatedDecoder {
  /// Ends the worker process. Before it was ready, this is an ordinary failure.
  func die(_ kind: PlaybackError.Kind) {
    guard readySince != nil else { return fail(kind) }
    guard !isOver, !isTerminated else { return }
    isOver = true
    owedAnswer = nil
    deadline = nil
    stopped = stopped ?? now
    tell(.died(PlaybackError(kind, path: track.path)))
  }

  /// Stops writing without any report.
  func hang() {
    guard !isOver, !isTerminated, position < end || readySince == nil else { return }
    stopped = stopped ?? now
    phase = .idle
  }

  /// Ends the file at the present position.
  func truncate() {
    guard !isOver, !isTerminated, readySince != nil, owedAnswer == nil, position < end else { return }
    if case .seeking = phase { return }
    end = position
    writer.finish()
    phase = .idle
    tellEnd()
  }

  func tellEnd() {
    // The player has only the claimed length.
    let stated = track.length.map { Int($0.count) } ?? end
    let isOwn = end + source.rate.hertz / 2 >= stated
    if end < plan.length || !isOwn { source.listener.isTruncated(id, at: end, isOwn: isOwn) }
    source.listener.finished(id)
    tell(.ended(index: writer.writeIndex))
  }

  /// Whether the ring may have been empty when a frame was rendered, allowing for the mixer's look-ahead.
  /// - Parameter frame: A frame of the track.
  func isShort(at frame: Int) -> Bool {
    let then = now > source.queued ? now - source.queued : 0
    let reached = progress.last { $0.time <= then }?.position ?? 0
    return reached < end && reached - frame < 1400
  }

  /// Whether the worker stopped before its end, and everything it wrote has been played.
  func isSpent(at frame: Int) -> Bool { stopped != nil && position < end && frame >= position }

  func restart(at position: Frames, continuingAt index: UInt64) {
    guard isOver, !isTerminated else { return }
    isOver = false
    isSuccessor = Int(position.count) == self.position && index == writer.writeIndex
    hasStalled = false
    let wait = UInt64(plan.opening + plan.seeking) * 1_000_000
    phase = .seeking(until: now + wait, to: Int(position.count), index: index)
    deadline = now + Self.timeout
  }

  func expectProgress() {
    guard !isOver, deadline == nil, stopped != nil, source.storage > 0 else { return }
    deadline = now + 250_000_000
  }
}
