// Rings that run low: reported while there is sound left for the writer to be replaced. Audio thread.

import PlaybackModel

/// What the loop has reported last.
struct ReportedLast {
  /// The limit.
  var limit: Int64 = -1
  /// What of each deck's ring.
  var ringA = LowRing()
  var ringB = LowRing()
}

/// What was reported of a deck's ring.
struct LowRing {
  enum Level { case none, low, dry }

  var level = Level.none
  /// The attachment that it was; 0 is none.
  var attachment: UInt32 = 0
}

extension AudioLoop {
  /// Reports each deck whose ring has come to run low, and once more where it is about to be dry in a fade, of which the mixer says
  /// nothing.
  func reportLowRings() {
    if isOffline || hasLimit { return }
    reportIfLow(.a, &reported.ringA)
    reportIfLow(.b, &reported.ringB)
  }

  private func reportIfLow(_ deck: Deck, _ ring: inout LowRing) {
    guard let reserve = mixer.reserve(of: deck), reserve.begun < progress.heard else { return }
    if ring.attachment != reserve.attachment { ring = LowRing(level: .none, attachment: reserve.attachment) }
    let left = reserve.frames + Int(mixer.frame.count - progress.heard)
    if left >= lengths.ring.ample { return ring.level = .none }
    // Within the first second its writer fills it for the first time.
    let isFilled = progress.heard - reserve.begun >= Int64(device.rate.hertz)
    let isDry = reserve.isInFade && left < lengths.ring.dry
    guard isDry ? ring.level != .dry : isFilled && ring.level == .none && left < lengths.ring.low else {
      return
    }
    ring.level = isDry ? .dry : .low
    report(.ringLow(deck))
  }
}
