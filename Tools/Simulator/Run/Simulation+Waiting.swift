// Evaluation of wait conditions: determines when the next line of the script is due. One thread.

import PlaybackModel

extension Simulation {
  /// When the present script line is due; nil if it is still waiting, with `lookAgain` set to the next check.
  func lineTime() -> UInt64? {
    guard line < world.lines.count, subject != nil else { return nil }
    let now = scheduler.now
    let present = world.lines[line]
    if let lineDue { return lineDue }
    if present.wait == .none || now >= lineSince + Line.timeout || hasCome(present.wait) {
      let due = max(now, present.wait == .none ? lineSince : now) + UInt64(present.delay) * 1000
      lineDue = due
      return due
    }
    // Check again at the interval at which the condition can matter.
    let isNear =
      tracker.fade != nil || oracle.claims?.state.kind == .preparingCrossfade || present.wait == .falling
    // A phase may last less than a write to storage.
    if case .phase = present.wait {
      lookAgain = now + 200_000
    } else {
      lookAgain = now + (isNear ? 1_000_000 : 10_000_000)
    }
    return nil
  }

  private var tracker: VoiceTracker { oracle.tracker }

  private func hasCome(_ wait: Wait) -> Bool {
    let tracker = oracle.tracker
    switch wait {
    case .none: return true
    case .remaining(let left):
      guard case .one(let place) = tracker.sound else { return false }
      let voice = tracker.voices[place]
      return (voice.end - voice.next) * 1000 <= left * world.rate
    case .armed:
      if case .preparingCrossfade(_, _, let plan) = oracle.claims?.state { return plan.isArmed }
      return false
    case .fadeBegins: return tracker.fade != nil
    case .fade(let percent):
      guard let fade = tracker.fade else { return false }
      return fade.place * 100 >= fade.length * Double(percent)
    case .fadeEnds(let left):
      guard let fade = tracker.fade else { return false }
      return (fade.length - fade.place) / fade.pace * 1000 <= Double(left * world.rate)
    case .falling:
      return tracker.loudness > 0 && tracker.loudness < tracker.circumstances.volume * 0.7
    case .silence:
      if case .silence = tracker.sound { return true }
      return false
    case .sound: return tracker.loudness > 0
    case .state(let kind): return oracle.claims?.state.kind == kind
    case .phase(let kind): return subject?.phase == kind
    }
  }
}
