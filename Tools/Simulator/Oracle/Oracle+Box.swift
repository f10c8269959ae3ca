// What the oracle learns from a whole box: answers to people, and what it remembered. One thread.

import PlaybackModel

extension Oracle {
  /// For how long a box waits for its storage at most, and a little.
  static let storageWait = ExcuseWindow.abandonedPlay.bound

  /// Somebody asked for something to play and is not there any more to be answered: it may begin, until then.
  func mayPlay(until time: UInt64) { abandonedPlayUntil = max(abandonedPlayUntil, time) }

  /// Somebody was answered that something new begins to play.
  func playsNow(_ claims: Claims) {
    look(claims)
    intent.begin(claims.current, at: now)
    judgeEarlyTarget()
    (lastActionAt, lastAskedAt) = (now, now)
    disturb()
    tracker.learn { $0.ordersInSilence += 1 }
  }

  /// What a box has remembered of what people wanted.
  func takeUp(_ intent: Intent, andPlays: Bool = false, mayStaySilent: Bool = false) {
    self.intent = intent
    if andPlays { self.intent.begin(nil, at: now) }
    self.intent.restart()
    if mayStaySilent, !andPlays { self.intent.mayStaySilent() }
  }
}
