// Decoders that die: what is kept of them, and their successors. Control thread; never waits.

import AudioRing
import PlaybackModel
import RealtimeAudio

extension Decks {
  /// A deck's decoder has died.
  func noteDeath(_ deck: Deck, _ slot: DeckSlot, _ error: PlaybackError) {
    if case .failed = slot.outcome { return }
    switch slot.stage {
    // Nothing of it can be heard yet.
    case .opening:
      facts[deck]?.outcome = .failed(error)
      facts[deck]?.isOutcomeKnown = false
    // All of it was heard.
    case .ended: break
    case .waitingForDeck, .cued, .started, .stopping, .seeking:
      // With all of the track in the ring no decoder is missed: a later seek opens the track again. A seek that was ordered before
      // the death waits for silence, and needs a successor. A worker may name an end that its ring does not hold.
      let isWhole = decoders[deck].map { slot.isWhole(in: $0.ring) } ?? true
      if case .ended = slot.outcome, slot.stage != .stopping, isWhole {
        facts[deck]?.life.stage = .dead(error)
        // A worker that named its end may have kept it from the ring, where the mixer looks for it.
        _ = decoders[deck]?.seal()
      } else {
        facts.noteDeath(deck, error)
      }
    }
  }

  /// Starts a successor of a deck's dead decoder. The ring is read at an index at present.
  func restartDecoder(_ deck: Deck, readAt index: UInt64) {
    let allowance = decoders.rate.frames(DecoderDeath.allowance)
    guard let slot = facts[deck], let decoder = decoders[deck], slot.life.lossError != nil else { return }
    switch slot.stage {
    // Ordered as soon as the deck is silent.
    case .stopping: facts.noteRestartDue(deck)
    case .seeking:
      facts.noteRestart(deck, from: slot.originIndex, allowance: allowance)
      decoders.restart(deck, slot.track, at: slot.target, continuingAt: slot.originIndex)
    case .opening, .waitingForDeck, .cued, .started, .ended:
      // Of what the dead one wrote, what can be read is believed.
      let read = slot.stage == .started ? index : slot.originIndex
      let end = read &+ UInt64(decoder.ring.frames(from: read))
      facts.noteRestart(deck, from: end, allowance: allowance)
      decoders.restart(deck, slot.track, at: slot.position(of: end), continuingAt: end)
    }
  }

  /// A deck is silent for a seek: its decoder goes to the target, or its successor begins there.
  func beginSeek(_ deck: Deck, _ slot: DeckSlot, at index: UInt64) {
    switch slot.life.stage {
    case .alive, .restarting: decoders.seek(deck, slot.track, to: slot.target, continuingAt: index)
    case .due:
      facts.noteRestart(deck, from: index, allowance: decoders.rate.frames(DecoderDeath.allowance))
      decoders.restart(deck, slot.track, at: slot.target, continuingAt: index)
    case .died, .dead: break
    }
  }

  /// Starts no successor. One that is late ends with `seal`.
  func endDecoder(_ deck: Deck) { facts.noteLoss(deck) }
}

extension Decks {
  /// How far a decoder's end may lie before the length that its file states: beyond, the file is truncated.
  var endTolerance: Frames { decoders.rate.frames(Seconds(0.5)) }

  /// Where the track ends that an event says is heard to its end, and whether that is its own last frame; nil for other events.
  func ending(_ event: PlayerEvent) -> (position: Frames, isWhole: Bool)? {
    let slot: DeckSlot?
    switch event {
    // The outgoing track, whose decoder may have reached the end of a truncated file.
    case .crossfadeBegan: return facts.otherSlot?.ending(within: endTolerance)
    case .didAdvance: slot = facts.otherSlot
    case .didReachEnd: slot = facts.leadSlot
    default: return nil
    }
    guard let slot, slot.stage == .ended else { return nil }
    return slot.ending(within: endTolerance)
  }
}
