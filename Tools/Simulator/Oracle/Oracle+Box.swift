// Input of the oracle that comes from whole boxes only: answers to clients, and restored state. One thread.

import PlaybackModel

extension Oracle {
  /// Nanoseconds that a box waits for its storage at most, with a margin.
  static let storageWait = ExcuseWindow.abandonedPlay.bound

  /// Allows music until `time`: a client requested it and disconnected before the answer.
  func mayPlay(until time: UInt64) { abandonedPlayUntil = max(abandonedPlayUntil, time) }

  /// Handles an answer that confirms new playback.
  func playsNow(_ claims: Claims) {
    look(claims)
    intent.begin(claims.current, at: now)
    judgeEarlyTarget()
    (lastActionAt, lastAskedAt) = (now, now)
    disturb()
    tracker.learn { $0.ordersInSilence += 1 }
  }

  /// Replaces the intent by the restored one.
  /// - Parameters:
  ///   - intent: Intent at the restored moment.
  ///   - andPlays: Whether a user has pressed play since.
  ///   - mayStaySilent: Whether a user may have asked for silence since.
  func takeUp(_ intent: Intent, andPlays: Bool = false, mayStaySilent: Bool = false) {
    self.intent = intent
    if andPlays { self.intent.begin(nil, at: now) }
    self.intent.restart()
    if mayStaySilent, !andPlays { self.intent.mayStaySilent() }
  }
}
