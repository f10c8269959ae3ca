// Deaths of the decoders of both decks, as changes of the facts. Pure; control thread.

import PlaybackModel

extension DeckFacts {
  /// The decoder of a deck died.
  mutating func noteDeath(_ deck: Deck, _ error: PlaybackError) {
    self[deck]?.life.deaths += 1
    self[deck]?.life.stage = .died(error)
  }

  /// A deck is heard at a ring index. Once that is `allowance` past the last restart, only the latest death counts. The position that the
  /// decoder reports is not used: a hostile decoder would be restarted without end.
  mutating func forgive(_ deck: Deck, heardTo index: UInt64) {
    guard let life = self[deck]?.life, Int64(bitPattern: index &- life.forgivenAt) >= 0 else { return }
    self[deck]?.life.deaths = min(life.deaths, 1)
  }

  /// The state machine is being notified of the death of a deck's decoder.
  mutating func noteDeathReported(_ deck: Deck, inSilence: Bool) {
    guard case .died(let error) = self[deck]?.life.stage else { return }
    self[deck]?.life.stage = .dead(error)
    self[deck]?.life.diedInSilence = inSilence
  }

  /// A successor is started as soon as a deck is silent.
  mutating func noteRestartDue(_ deck: Deck) {
    if case .dead(let error) = self[deck]?.life.stage { self[deck]?.life.stage = .due(error) }
  }

  /// A successor decodes from a ring index on; another death after `allowance` of heard sound is a first one again.
  mutating func noteRestart(_ deck: Deck, from index: UInt64, allowance: Frames) {
    guard let slot = self[deck] else { return }
    switch slot.life.stage {
    case .dead(let error), .due(let error): self[deck]?.life.stage = .restarting(error, from: index)
    case .alive, .died, .restarting: return
    }
    self[deck]?.life.forgivenAt = index &+ UInt64(max(0, allowance.count))
  }

  /// A deck's successor goes on at a ring index with a frame of the track.
  mutating func noteSuccessor(_ deck: Deck, index: UInt64, position: Frames) {
    guard let slot = self[deck], slot.life.isRestarting else { return }
    self[deck]?.life.stage = .alive
    // A station goes on at its present.
    guard slot.position(of: index) != position else { return }
    self[deck]?.originIndex = index
    self[deck]?.originPosition = position
  }

  /// A deck's successor has failed, or would come too late.
  mutating func noteSuccessorLost(_ deck: Deck, _ error: PlaybackError) {
    guard self[deck]?.life.isRestarting == true else { return }
    self[deck]?.life.deaths += 1
    self[deck]?.life.stage = .died(error)
  }

  /// Nothing more will be decoded for a deck: its track is heard to the end of its ring, and fails there.
  mutating func noteLoss(_ deck: Deck) {
    guard let slot = self[deck], case .dead(let error) = slot.life.stage else { return }
    if slot.wasHeard {
      self[deck]?.outcome = .failed(error)
      self[deck]?.isOutcomeKnown = false
    } else {
      noteFailure(deck, error)
    }
  }
}
