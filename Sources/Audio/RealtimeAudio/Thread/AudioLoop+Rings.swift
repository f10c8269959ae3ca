// Detects rings that run low while enough audio is queued to replace their worker. Audio thread.

import PlaybackModel

/// The last reports of the loop.
struct ReportedLast {
  /// The last reported limit.
  var limit: Int64 = -1
  /// The last reported state of each deck's ring.
  var ringA = LowRing()
  var ringB = LowRing()
}

/// Reported state of a deck's ring.
struct LowRing {
  enum Level { case none, low, dry }

  var level = Level.none
  /// Number of the attached ring; 0 means none.
  var attachment: UInt32 = 0
}

extension AudioLoop {
  /// Reports each deck whose ring runs low.
  ///
  /// Within a fade, where the mixer reports no starvation, a ring that is about to run dry is reported again.
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
    // In the first second, the writer fills the ring for the first time.
    let isFilled = progress.heard - reserve.begun >= Int64(device.rate.hertz)
    let isDry = reserve.isInFade && left < lengths.ring.dry
    guard isDry ? ring.level != .dry : isFilled && ring.level == .none && left < lengths.ring.low else {
      return
    }
    ring.level = isDry ? .dry : .low
    report(.ringLow(deck))
  }
}
