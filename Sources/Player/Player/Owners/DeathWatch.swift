// Deaths of the decks' decoders, as events of the state machine, and successors that come too late. Control thread only.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

/// Finds the deaths that the state has not had yet.
final class DeathWatch {
  /// Called when a successor may have come too late by time alone.
  var onDue: () -> Void = {}
  private let decks: Decks
  private let positions: PositionReader
  private let rate: SampleRate
  private let timer: DeadlineTimer

  init(_ scheduler: any Scheduler, _ decks: Decks, _ positions: PositionReader, rate: SampleRate) {
    self.decks = decks
    self.positions = positions
    self.rate = rate
    timer = DeadlineTimer(scheduler)
  }

  /// Cancels the timer.
  func end() { timer.stop() }

  /// Sound that has to be left for a track to be heard on: a successor begins with it, or the other deck of a fade takes over.
  private var margin: Frames { rate.frames(Seconds(0.25)) }

  /// The deck of a state's track.
  func deck(of role: TrackRole, in state: PlayerState) -> Deck {
    let lead = decks.facts.lead
    let current = state.fadeProgress == nil ? lead : lead.other
    return role == .current ? current : current.other
  }

  /// The ring index at which a deck's ring is read at present.
  func readIndex(_ deck: Deck) -> UInt64 {
    guard let slot = decks.facts[deck] else { return 0 }
    return isMoving(deck, slot) ? positions.indexNow(deck) : slot.originIndex
  }

  /// Whether the mixer reads the deck's ring, so that its index counts.
  private func isMoving(_ deck: Deck, _ slot: DeckSlot) -> Bool {
    slot.stage == .started && decks.hasMoved(deck)
  }

  /// A death that the state does not know of; nil where there is none. The event has to be handled: it is told once.
  func event(in state: PlayerState) -> PlayerEvent? {
    switch state {
    case .idle, .finished, .failed: return nil
    default: break
    }
    for role in TrackRole.allCases {
      let deck = deck(of: role, in: state)
      if let slot = decks.facts[deck], slot.life.isRestarting, isLate(deck, slot, in: state) {
        noteLate(deck, slot)
      }
      if let slot = decks.facts[deck], slot.life.deaths > 1, isMoving(deck, slot) {
        decks.facts.forgive(deck, heardTo: positions.indexNow(deck))
      }
      guard let slot = decks.facts[deck], case .died(let error) = slot.life.stage else { continue }
      let death = DecoderDeath(error, count: slot.life.deaths, isInTime: isInTime(deck, slot, in: state))
      let isHeard = slot.stage == .started && state.isActive
      decks.facts.noteDeathReported(deck, inSilence: role == .current && !isHeard)
      return role == .current ? .decoderDied(death) : .nextDecoderDied(death)
    }
    return nil
  }

  /// Whether the successor of a deck's decoder may let the ring run dry: nothing was heard when the decoder died. A fade waits for none.
  func mayRunDry(_ slot: DeckSlot, in state: PlayerState) -> Bool {
    slot.life.diedInSilence && state.fadeProgress == nil
  }

  /// The deck's ring ran dry: its successor is too late. In a pause, whose ramp may have read the rest of the ring, the successor has time.
  func noteDry(_ deck: Deck, in state: PlayerState) {
    if let slot = decks.facts[deck], slot.life.isRestarting, state.isActive { noteLate(deck, slot) }
  }

  private func noteLate(_ deck: Deck, _ slot: DeckSlot) {
    guard case .restarting(let error, _) = slot.life.stage else { return }
    decks.facts.noteSuccessorLost(deck, error)
  }

  private func isInTime(_ deck: Deck, _ slot: DeckSlot, in state: PlayerState) -> Bool {
    guard let ring = decks.decoders[deck]?.ring else { return false }
    switch slot.stage {
    case .opening, .ended: return false
    // Silence is wanted until it has answered.
    case .stopping, .seeking: return true
    case .waitingForDeck, .cued: return ring.frames(from: slot.originIndex) > 0
    // Nothing reads the ring of a paused deck, however little is in it.
    case .started where !state.isActive: return true
    // A recording waits for as long as it takes.
    case .started:
      return Int64(ring.frames(from: readIndex(deck))) > (positions.isOffline ? 0 : margin.count)
    }
  }

  /// Whether a deck is heard whose ring is about to run dry before its successor has written anything.
  private func isLate(_ deck: Deck, _ slot: DeckSlot, in state: PlayerState) -> Bool {
    timeLeft(deck, slot, in: state).map { $0 <= 0 } ?? false
  }

  /// Seconds until the successor of a deck that is heard comes too late; nil where it does not.
  private func timeLeft(_ deck: Deck, _ slot: DeckSlot, in state: PlayerState) -> Double? {
    guard case .restarting(_, let index) = slot.life.stage, slot.stage == .started, state.isActive,
      !mayRunDry(slot, in: state), !positions.isOffline, let ring = decks.decoders[deck]?.ring
    else { return nil }
    let read = readIndex(deck)
    // It has begun to write.
    guard read &+ UInt64(ring.frames(from: read)) == index else { return nil }
    return rate.seconds(Frames(Int64(ring.frames(from: read))) - margin).value
  }

  /// Has `onDue` called when the first successor comes too late.
  func plan(in state: PlayerState) {
    var wait: Double?
    for deck in Deck.allCases {
      guard let slot = decks.facts[deck], let left = timeLeft(deck, slot, in: state) else { continue }
      wait = min(wait ?? left, left)
    }
    guard let wait else { return timer.stop() }
    timer.start(after: UInt64(max(0, wait) * 1e9) + 1_000_000) { [unowned(unsafe) self] in onDue() }
  }
}
