// Whether decoders go to where a person sought. One thread.

import PlaybackModel

/// A decoder went somewhere else than where a person sought, which what is learnt at the same moment may explain.
struct EarlyTarget {
  let track: Int
  let frame: Int
  let at: UInt64
  let seek: Intent.Seek
  let violation: Violation
}

extension Oracle {
  /// A decoder goes to where a person sought, or somewhere else.
  func checkTarget(_ track: Int, _ frame: Int) {
    guard let seek = intent.seek else { return }
    intent.seek = nil
    if case .lies = world.tracks[seek.track].fault { return }
    guard now < seek.at + 3_000_000_000 else { return }
    // A decoder goes no further than its track.
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

  /// A box carries out a line before it answers it: an order that is told of at the very moment at which a decoder went
  /// somewhere else is what it went for.
  func judgeEarlyTarget() {
    guard let target = earlyTarget, target.at == now else { return }
    earlyTarget = nil
    checkTarget(target.track, target.frame)
  }

  /// Nothing was told of that explains where a decoder went.
  func judgeStrangeTarget(_ trail: History) {
    guard let early = earlyTarget, early.at < now else { return }
    earlyTarget = nil
    let isElsewhere = early.track != early.seek.track
    if isElsewhere, hasFailed(early.seek, trail) || isSoughtInNext(early, trail) { return }
    fail(early.violation)
  }

  /// Whether the box says that a track failed in which somebody sought, and something was wrong with it: what is opened then is the
  /// next one, at its bookmark, and nobody gets to where that person sought.
  private func hasFailed(_ seek: Intent.Seek, _ trail: History) -> Bool {
    let plan = world.tracks[seek.track]
    guard plan.fault != .none || plan.isOnStick || faultAt + 10_000_000_000 > seek.at else { return false }
    return trail.contains { $0.time >= seek.at && $0.event.kind == .didFail && $0.from.kind == .seeking }
  }

  /// Whether a fade had begun when the box came to carry out the seek, and it went to that place of the track that comes.
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
