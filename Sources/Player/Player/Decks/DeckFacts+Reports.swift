// What the mixer reports, as changes of the facts. Pure; control thread.

import PlaybackModel

extension DeckFacts {
  /// The lead is over and the other deck continues.
  mutating func noteAdvance() {
    self[lead]?.stage = .ended
    lead = other
    self[lead]?.stage = .started
    meeting = .none
  }

  /// The fade from the lead to the other deck runs.
  mutating func noteFade(_ fade: Fade) {
    lead = other
    self[lead]?.stage = .started
    meeting = .none
    self.fade = RunningFade(fade: fade, pace: .ordered)
  }

  /// The fade is over.
  mutating func noteFadeCompleted() {
    fade = nil
    if otherSlot?.stage == .started { self[other]?.stage = .ended }
  }

  /// The lead waits where its decoder has come to stand, and a plan knows it by that place, which is returned.
  mutating func noteLanding() -> Frames? {
    guard let slot = leadSlot, slot.stage == .cued else { return nil }
    self[lead]?.planned = slot.originPosition
    return slot.originPosition
  }

  /// A deck that was stopped for a seek is silent at this ring index. Returns whether its decoder seeks now.
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

  /// A deck can never be played to its end: its first error counts.
  mutating func noteFailure(_ deck: Deck, _ error: PlaybackError) {
    if self[deck]?.failure == nil { self[deck]?.failure = error }
  }
}
