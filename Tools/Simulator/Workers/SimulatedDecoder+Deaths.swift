// How a simulated worker dies, hangs or comes to an early end, and how its successor begins. One thread.

import AudioRing
import PlaybackModel
import Player
import RealtimeAudio

extension SimulatedDecoder {
  /// Its process is gone. Before it was ready that is a failure as any other.
  func die(_ kind: PlaybackError.Kind) {
    guard readySince != nil else { return fail(kind) }
    guard !isOver, !isTerminated else { return }
    isOver = true
    owedAnswer = nil
    deadline = nil
    stopped = stopped ?? now
    tell(.died(PlaybackError(kind, path: track.path)))
  }

  /// Writes no more, and says nothing.
  func hang() {
    guard !isOver, !isTerminated, position < end || readySince == nil else { return }
    stopped = stopped ?? now
    phase = .idle
  }

  /// Its file ends here.
  func truncate() {
    guard !isOver, !isTerminated, readySince != nil, owedAnswer == nil, position < end else { return }
    if case .seeking = phase { return }
    end = position
    writer.finish()
    phase = .idle
    tellEnd()
  }

  func tellEnd() {
    // The player knows only of a length that is stated.
    let stated = track.length.map { Int($0.count) } ?? end
    let isOwn = end + source.rate.hertz / 2 >= stated
    if end < plan.length || !isOwn { source.listener.isTruncated(id, at: end, isOwn: isOwn) }
    source.listener.finished(id)
    tell(.ended(index: writer.writeIndex))
  }

  /// Whether the ring may have been empty at a frame of the track, or a mixer's look ahead after it, when that was
  /// rendered.
  func isShort(at frame: Int) -> Bool {
    let then = now > source.queued ? now - source.queued : 0
    let reached = progress.last { $0.time <= then }?.position ?? 0
    return reached < end && reached - frame < 1400
  }

  /// Whether it writes no more, without having come to its end, and all that it has written is heard.
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
