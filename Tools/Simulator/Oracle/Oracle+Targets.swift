// Checks that decoders seek to where a user's seek leads. One thread.

import PlaybackModel

/// Decoder position that differs from a user's seek, and may still be explained by a report at the same moment.
struct EarlyTarget {
  let track: Int
  let frame: Int
  let at: UInt64
  let seek: Intent.Seek
  let violation: Violation
}

extension Oracle {
  /// Compares the position of a decoder with the pending seek.
  func checkTarget(_ track: Int, _ frame: Int) {
    guard let seek = intent.seek else { return }
    intent.seek = nil
    if case .lies = world.tracks[seek.track].fault { return }
    guard now < seek.at + 3_000_000_000 else { return }
    // Decoders clamp seeks to the end of the track.
    let plan = world.tracks[track]
    var isEnd = frame == plan.length || truncations[track]?.contains(frame) == true
    if case .truncated(frame) = plan.fault { isEnd = true }
    let isAtEnd = isEnd && seek.frames.upperBound >= frame
    if track != seek.track || (!seek.frames.contains(frame) && !isAtEnd) {
      earlyTarget = EarlyTarget(
        track: track, frame: frame, at: now, seek: seek,
        violation: Violation(
          .wrongTarget, at: now, expected: "a seek to frames \(seek.frames) of track \(seek.track)",
          found: "frame \(frame) of track \(track)"))
    }
  }

  /// Checks again after a command was reported: a box carries out a line before it answers, so the command reported
  /// at this moment may be what the decoder was moved for.
  func judgeEarlyTarget() {
    guard let target = earlyTarget, target.at == now else { return }
    earlyTarget = nil
    checkTarget(target.track, target.frame)
  }

  /// Reports a wrong decoder position that no command has explained.
  func judgeStrangeTarget(_ trail: History) {
    guard let early = earlyTarget, early.at < now else { return }
    earlyTarget = nil
    let isElsewhere = early.track != early.seek.track
    if isElsewhere, hasFailed(early.seek, trail) || isSoughtInNext(early, trail) { return }
    fail(early.violation)
  }

  /// Whether the sought track failed for a plausible reason. Then the next track opens at its bookmark instead.
  private func hasFailed(_ seek: Intent.Seek, _ trail: History) -> Bool {
    let plan = world.tracks[seek.track]
    guard plan.fault != .none || plan.isOnStick || faultAt + 10_000_000_000 > seek.at else { return false }
    return trail.contains { $0.time >= seek.at && $0.event.kind == .didFail && $0.from.kind == .seeking }
  }

  /// Whether a fade had begun when the box handled the seek, which then went to that position of the incoming track.
  private func isSoughtInNext(_ early: EarlyTarget, _ trail: History) -> Bool {
    guard let next = early.seek.inNext, next.track == early.track else { return false }
    let isThere =
      next.frames.contains(early.frame)
      || early.frame == world.tracks[next.track].length && next.frames.upperBound >= early.frame
    return isThere
      && trail.contains { $0.time >= early.seek.at && $0.event.kind == .seek && $0.from.kind == .crossfading }
  }
}

extension History {
  fileprivate func contains(where isSo: (Transition) -> Bool) -> Bool {
    (0..<count).contains { isSo(self[$0]) }
  }
}
