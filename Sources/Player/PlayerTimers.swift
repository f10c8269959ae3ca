// What the player looks at again after a time: retries, overdue decoders, a ring that fills, a changed queue.
// Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// A deck that has run dry sounds by itself as soon as it is filled again, so the gate has to keep the
  /// intent meanwhile.
  func followIntent(from before: PlayerState) {
    guard case .buffering(_, let intent) = machine.state, case .buffering(_, let old) = before,
      intent.isPlay != old.isPlay
    else { return }
    send(intent.isPlay ? .openGate(ramp: .zero) : .closeGate(.pause, ramp: .zero))
    if !intent.isPlay { lookForRefill() }
  }

  /// A silent mixer does not notice that a ring fills; for as long as a decoder may take, somebody has to look.
  private func lookForRefill() {
    if let refillTimer { events.remove(refillTimer) }
    refillTimer = events.after(100_000_000) { [self] in
      refillTimer = nil
      guard case .buffering(_, .pause) = machine.state, let slot = self[currentDeck] else { return }
      let index = link.reading().positions.index(currentDeck)
      if slot.decoder.ring.holds(Int(rate.frames(Seconds(0.25)).count), from: index) {
        post(.didRefill)
        drain()
      } else {
        lookForRefill()
      }
    }
  }

  /// Looks at the next track again once whoever changes the queue is done.
  func planSoon() {
    guard planTimer == nil else { return }
    planTimer = events.after(0) { [self] in
      planTimer = nil
      drain()
    }
  }

  func scheduleRetry(after time: Seconds) {
    cancelRetry()
    let wait = UInt64(max(0, time.value) * 1e9)
    retryDue = events.now + wait
    retryTimer = events.after(wait) { [self] in
      retryTimer = nil
      retryDue = nil
      trackRetries += 1
      handle(.retry)
    }
  }

  func cancelRetry() {
    if let retryTimer { events.remove(retryTimer) }
    retryTimer = nil
    retryDue = nil
  }

  /// Looks for decoders whose answer is overdue, as often as that can matter and no more often.
  func watchDecoders() {
    if let watchTimer { events.remove(watchTimer) }
    watchTimer = nil
    var next: UInt64?
    let now = events.now
    for deck in Deck.allCases {
      guard let wait = self[deck]?.decoder.checkProgress(now: now) else { continue }
      next = min(next ?? wait, wait)
    }
    guard let next else { return }
    watchTimer = events.after(next) { [self] in
      watchTimer = nil
      for deck in Deck.allCases { takeDecoderEvents(deck) }
      drain()
    }
  }
}
