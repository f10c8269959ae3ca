// Updates the deck facts when a decoder dies, is restarted, or is given up. Pure; control thread.

import PlaybackModel

extension DeckFacts {
  /// The decoder of a deck has died.
  mutating func noteDeath(_ deck: Deck, _ error: PlaybackError) {
    self[deck]?.life.deaths += 1
    self[deck]?.life.stage = .died(error)
  }

  /// Forgets all but the latest death once the deck has been heard `allowance` frames beyond the last restart. Uses
  /// the mixer's index, not the decoder's own report: a hostile decoder could otherwise be restarted forever.
  mutating func forgive(_ deck: Deck, heardTo index: UInt64) {
    guard let life = self[deck]?.life, Int64(bitPattern: index &- life.forgivenAt) >= 0 else { return }
    self[deck]?.life.deaths = min(life.deaths, 1)
  }

  /// The state machine is about to receive the death of a deck's decoder. `inSilence`: the track was not audible.
  mutating func noteDeathReported(_ deck: Deck, inSilence: Bool) {
    guard case .died(let error) = self[deck]?.life.stage else { return }
    self[deck]?.life.stage = .dead(error)
    self[deck]?.life.diedInSilence = inSilence
  }

  /// Defers the successor until the deck is silent.
  mutating func noteRestartDue(_ deck: Deck) {
    if case .dead(let error) = self[deck]?.life.stage { self[deck]?.life.stage = .due(error) }
  }

  /// A successor decodes from a ring index. Deaths are forgotten once `allowance` frames beyond it have been heard.
  mutating func noteRestart(_ deck: Deck, from index: UInt64, allowance: Frames) {
    guard let slot = self[deck] else { return }
    switch slot.life.stage {
    case .dead(let error), .due(let error): self[deck]?.life.stage = .restarting(error, from: index)
    case .alive, .died, .restarting: return
    }
    self[deck]?.life.forgivenAt = index &+ UInt64(max(0, allowance.count))
  }

  /// A successor has started writing at a ring index, with a given frame of the track.
  mutating func noteSuccessor(_ deck: Deck, index: UInt64, position: Frames) {
    guard let slot = self[deck], slot.life.isRestarting else { return }
    self[deck]?.life.stage = .alive
    // A live station continues at the live position, not where it broke off.
    guard slot.position(of: index) != position else { return }
    self[deck]?.originIndex = index
    self[deck]?.originPosition = position
  }

  /// A successor has failed or is too late.
  mutating func noteSuccessorLost(_ deck: Deck, _ error: PlaybackError) {
    guard self[deck]?.life.isRestarting == true else { return }
    self[deck]?.life.deaths += 1
    self[deck]?.life.stage = .died(error)
  }

  /// Gives up a deck's dead decoder: an audible track plays to the end of its ring and fails there, an unheard one
  /// fails now.
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
