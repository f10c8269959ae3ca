// Updates the deck facts from the mixer's reports. Pure; control thread.

import PlaybackModel

extension DeckFacts {
  /// The mixer has advanced from the lead to the other deck, which becomes the lead.
  mutating func noteAdvance() {
    self[lead]?.stage = .ended
    lead = other
    self[lead]?.stage = .started
    meeting = .none
  }

  /// A fade from the lead to the other deck has begun; the incoming deck becomes the lead.
  mutating func noteFade(_ fade: Fade) {
    lead = other
    self[lead]?.stage = .started
    meeting = .none
    self.fade = RunningFade(fade: fade, pace: .ordered)
  }

  /// The fade has ended.
  mutating func noteFadeCompleted() {
    fade = nil
    if otherSlot?.stage == .started { self[other]?.stage = .ended }
  }

  /// Records where the lead's decoder actually landed as the planned position, so that the plan recognizes the deck.
  ///
  /// - Returns: The landing position in frames; nil unless the lead is cued.
  mutating func noteLanding() -> Frames? {
    guard let slot = leadSlot, slot.stage == .cued else { return nil }
    self[lead]?.planned = slot.originPosition
    return slot.originPosition
  }

  /// A deck that was stopped for a seek is silent.
  ///
  /// - Parameter index: The ring index at which it stopped.
  /// - Returns: Whether its decoder is to seek now; false if no seek is pending.
  mutating func noteSilence(_ deck: Deck, index: UInt64) -> Bool {
    guard self[deck]?.stage == .stopping else { return false }
    self[deck]?.stage = .seeking
    self[deck]?.originIndex = index
    self[deck]?.endIndex = nil
    self[deck]?.startedBy = nil
    self[deck]?.outcome = nil
    self[deck]?.isOutcomeKnown = false
    return true
  }

  /// A deck cannot be played to its end. Only its first error is kept.
  mutating func noteFailure(_ deck: Deck, _ error: PlaybackError) {
    if self[deck]?.failure == nil { self[deck]?.failure = error }
  }
}
