// Reports deaths of the decks' decoders to the state machine and detects successors that come too late. Control
// thread only.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

/// Finds decoder deaths that the state machine has not received yet.
final class DeathWatch {
  /// Called when a successor may have missed its deadline.
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

  /// The minimum of buffered sound for playback to continue over a death: time to start a successor or to hand a fade
  /// to the other deck.
  private var margin: Frames { rate.frames(Seconds(0.25)) }

  /// The deck of the current or next track of a state.
  func deck(of role: TrackRole, in state: PlayerState) -> Deck {
    let lead = decks.facts.lead
    let current = state.fadeProgress == nil ? lead : lead.other
    return role == .current ? current : current.other
  }

  /// The ring index that a deck plays now.
  func readIndex(_ deck: Deck) -> UInt64 {
    guard let slot = decks.facts[deck] else { return 0 }
    return isMoving(deck, slot) ? positions.indexNow(deck) : slot.originIndex
  }

  /// Whether the mixer is reading the deck's ring, so that its reported index is valid.
  private func isMoving(_ deck: Deck, _ slot: DeckSlot) -> Bool {
    slot.stage == .started && decks.hasMoved(deck)
  }

  /// The event for a death unknown to the state machine; nil if there is none. Each death is returned once, so the
  /// event must be handled.
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

  /// Whether the ring may run dry before the successor delivers: nothing was audible at the death, and no fade
  /// depends on it.
  func mayRunDry(_ slot: DeckSlot, in state: PlayerState) -> Bool {
    slot.life.diedInSilence && state.fadeProgress == nil
  }

  /// The deck's ring ran dry, so its successor is too late. Not in a pause: its ramp may have read the rest of the
  /// ring, and the successor has time.
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
    // No sound is expected before the seek ends.
    case .stopping, .seeking: return true
    case .waitingForDeck, .cued: return ring.frames(from: slot.originIndex) > 0
    // The ring of a paused deck is not read, so any rest of it suffices.
    case .started where !state.isActive: return true
    // A recording waits as long as necessary.
    case .started:
      return Int64(ring.frames(from: readIndex(deck))) > (positions.isOffline ? 0 : margin.count)
    }
  }

  /// Whether an audible deck's ring is about to run dry before its successor has written anything.
  private func isLate(_ deck: Deck, _ slot: DeckSlot, in state: PlayerState) -> Bool {
    timeLeft(deck, slot, in: state).map { $0 <= 0 } ?? false
  }

  /// Seconds until the successor of an audible deck is too late; nil if it has no deadline.
  private func timeLeft(_ deck: Deck, _ slot: DeckSlot, in state: PlayerState) -> Double? {
    guard case .restarting(_, let index) = slot.life.stage, slot.stage == .started, state.isActive,
      !mayRunDry(slot, in: state), !positions.isOffline, let ring = decks.decoders[deck]?.ring
    else { return nil }
    let read = readIndex(deck)
    // If the successor has written beyond its start index, it is in time.
    guard read &+ UInt64(ring.frames(from: read)) == index else { return nil }
    return rate.seconds(Frames(Int64(ring.frames(from: read))) - margin).value
  }

  /// Schedules `onDue` for the earliest deadline of a successor.
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
