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
      // All of its track is in the ring: no decoder is missed, unless somebody seeks, and another one is opened then.
      if case .ended = slot.outcome {
        facts[deck]?.life.stage = .dead(error)
      } else {
        facts.noteDeath(deck, error, at: decoders.decodedPosition(deck, slot))
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

  /// Where the sound of the track ends that an event ends or begins to fade out, and whether that is the track's own last frame;
  /// nil for other events, and before the decoder has named the end.
  func ending(_ event: PlayerEvent) -> (position: Frames, isWhole: Bool)? {
    let slot: DeckSlot?
    switch event {
    case .didAdvance: slot = facts.otherSlot
    case .didReachEnd: slot = facts.leadSlot
    case .crossfadeBegan:
      guard let outgoing = facts.otherSlot, outgoing.endIndex != nil else { return nil }
      return outgoing.ending(within: endTolerance)
    default: return nil
    }
    guard let slot, slot.stage == .ended else { return nil }
    return slot.ending(within: endTolerance)
  }
}
