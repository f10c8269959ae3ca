// Handles the death of a deck's decoder: keeps the decoded rest, starts a successor, or gives the track up. Control
// thread; never blocks.

import AudioRing
import PlaybackModel
import RealtimeAudio

extension Decks {
  /// A deck's decoder has died.
  func noteDeath(_ deck: Deck, _ slot: DeckSlot, _ error: PlaybackError) {
    if case .failed = slot.outcome { return }
    switch slot.stage {
    // Nothing was decoded yet.
    case .opening:
      facts[deck]?.outcome = .failed(error)
      facts[deck]?.isOutcomeKnown = false
    // The track was played completely.
    case .ended: break
    case .waitingForDeck, .cued, .started, .stopping, .seeking:
      // If the whole track is in the ring, no successor is needed; a later seek reopens the track. A seek ordered
      // before the death still waits for silence and needs a successor. The worker's claimed end is checked against
      // the ring.
      let isWhole = decoders[deck].map { slot.isWhole(in: $0.ring) } ?? true
      if case .ended = slot.outcome, slot.stage != .stopping, isWhole {
        facts[deck]?.life.stage = .dead(error)
        // The mixer looks for the end in the ring; a worker may have reported it without writing it there.
        _ = decoders[deck]?.seal()
      } else {
        facts.noteDeath(deck, error)
      }
    }
  }

  /// Starts a successor of a deck's dead decoder.
  ///
  /// - Parameter index: The ring index that is being played now.
  func restartDecoder(_ deck: Deck, readAt index: UInt64) {
    let allowance = decoders.rate.frames(DecoderDeath.allowance)
    guard let slot = facts[deck], let decoder = decoders[deck], slot.life.lossError != nil else { return }
    switch slot.stage {
    // `beginSeek` starts it once the deck is silent.
    case .stopping: facts.noteRestartDue(deck)
    case .seeking:
      facts.noteRestart(deck, from: slot.originIndex, allowance: allowance)
      decoders.restart(deck, slot.track, at: slot.target, continuingAt: slot.originIndex)
    case .opening, .waitingForDeck, .cued, .started, .ended:
      // The successor continues behind all readable frames that the dead decoder wrote.
      let read = slot.stage == .started ? index : slot.originIndex
      let end = read &+ UInt64(decoder.ring.frames(from: read))
      facts.noteRestart(deck, from: end, allowance: allowance)
      decoders.restart(deck, slot.track, at: slot.position(of: end), continuingAt: end)
    }
  }

  /// A deck is silent for a seek: moves its decoder to the target, or starts a successor there.
  func beginSeek(_ deck: Deck, _ slot: DeckSlot, at index: UInt64) {
    switch slot.life.stage {
    case .alive, .restarting: decoders.seek(deck, slot.track, to: slot.target, continuingAt: index)
    case .due:
      facts.noteRestart(deck, from: index, allowance: decoders.rate.frames(DecoderDeath.allowance))
      decoders.restart(deck, slot.track, at: slot.target, continuingAt: index)
    case .died, .dead: break
    }
  }

  /// Gives up the decoder without a successor. A successor that is too late ends with `seal`.
  func endDecoder(_ deck: Deck) { facts.noteLoss(deck) }
}

extension Decks {
  /// How far before the stated length a decoder may end. A file that ends earlier is truncated.
  var endTolerance: Frames { decoders.rate.frames(Seconds(0.5)) }

  /// The end of the track that an event reports as played to the end of its ring.
  ///
  /// - Returns: The end's position and whether it is the track's own last frame; nil for other events.
  func ending(_ event: PlayerEvent) -> (position: Frames, isWhole: Bool)? {
    let slot: DeckSlot?
    switch event {
    // The outgoing track; its decoder may have reached the end of a truncated file.
    case .crossfadeBegan: return facts.otherSlot?.ending(within: endTolerance)
    case .didAdvance: slot = facts.otherSlot
    case .didReachEnd: slot = facts.leadSlot
    default: return nil
    }
    guard let slot, slot.stage == .ended else { return nil }
    return slot.ending(within: endTolerance)
  }
}
