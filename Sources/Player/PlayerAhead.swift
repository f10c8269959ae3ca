// Getting the next track ready before it is due, and deciding how it follows. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// How long before it is due the next track is opened.
  static var lead: Seconds { Seconds(10) }

  /// Opens the next track when its time has come and joins it to the current one; looks again when that
  /// time can be told. Called after everything that happens.
  func planAhead() {
    if let aheadTimer { events.remove(aheadTimer) }
    aheadTimer = nil
    guard case .playing(let current) = machine.state, let slot = self[currentDeck],
      slot.stage == .started
    else { return }
    let wanted = queue.peekNext
    if let next = self[currentDeck.other] {
      guard let wanted, wanted.id == next.track.id else {
        // The queue has changed its mind.
        joined = nil
        send(.join(.none))
        retire(currentDeck.other)
        return planAhead()
      }
      if next.stage == .cued { join(current, slot, next) }
      return
    }
    joined = nil
    guard let wanted, leaving[Int(currentDeck.other.rawValue)] == nil else { return }
    // Without a length the end is told by the decoder, seconds before it is heard.
    guard let length = slot.length else { return }
    let lead = Self.lead.value + machine.settings.automaticFadeLength.value
    let remaining = rate.seconds(length - position).value - lead
    guard remaining <= 0 else {
      guard !isUnpaced else { return }
      aheadTimer = events.after(UInt64(remaining * 1e9) + 1_000_000) { [self] in
        aheadTimer = nil
        drain()
      }
      return
    }
    open(wanted, at: firstPosition(of: wanted, wanted: .zero), on: currentDeck.other)
  }

  /// Decides how the cued next track follows: joined where they belong together or no fade is wanted.
  private func join(_ current: Track, _ slot: DeckSlot, _ next: DeckSlot) {
    let key = JoinKey(
      current: current.id, next: next.track.id, fade: machine.settings.automaticFade,
      currentLength: slot.length)
    guard joined != key else { return }
    joined = key
    let fade = key.fade.clipped(from: slot.track, to: next.track)
    let belongsTogether = !fadesAlbums && next.track.joinsGaplessly(after: slot.track)
    guard fade.length > .zero, !belongsTogether, slot.knownEndIndex != nil else {
      next.decoder.wake()
      // What goes on in its middle is not joined to anything: it is started over a ramp after the end.
      let isWhole = next.originPosition == .zero
      send(.join(isWhole ? .gapless(from: currentDeck, to: currentDeck.other) : .none))
      return
    }
    post(.nextDue(next.track, fade: fade))
  }
}

/// What a join was decided by: it is decided again when any of it changes.
struct JoinKey: Equatable {
  var current: UInt64
  var next: UInt64
  var fade: Fade
  var currentLength: Frames?
}
