// Interprets the mixer's reports: updates the deck facts and derives events for the state machine. Control thread
// only.

import PlaybackModel
import RealtimeAudio

/// Reads the mixer's reports. Reports lag behind orders, so some concern decks that have changed since.
final class ReportReader {
  /// The meaning of a report for the state machine.
  enum News {
    /// Only the decks are affected.
    case none
    /// An event that happened at these positions.
    case event(PlayerEvent, Moment)
    /// Playback has come to rest at these positions.
    case settled(Moment)
  }

  private let link: AudioLink
  private let decks: Decks
  private let positions: PositionReader
  private let decoding: DecodingMonitor

  init(_ link: AudioLink, _ decks: Decks, _ positions: PositionReader, _ decoding: DecodingMonitor) {
    self.link = link
    self.decks = decks
    self.positions = positions
    self.decoding = decoding
  }

  /// The audio thread's next report; nil if all have been read.
  func next() -> AudioReport? { link.takeReport() }

  /// Applies a report to the decks and returns its meaning for the state machine.
  func take(_ stamped: StampedEvent, in state: PlayerState) -> News {
    // Computed on demand, because some cases must read the positions before they change the decks.
    func moment() -> Moment { positions.moment(reported: stamped.positions, in: state) }
    switch stamped.event {
    case .applied(let id):
      decks.sender.noteApplied(id, heardAt: positions.timeHeard(stamped.positions.frame))
    case .advanced(let deck):
      if let track = advanced(to: deck) { return .event(.didAdvance(track), moment()) }
    case .crossfadeBegan(let deck, let fade):
      guard deck == decks.facts.other, decks.isCurrent(deck), decks.isCurrent(deck.other),
        let slot = decks.facts[deck]
      else {
        decks.noteOvertaken(deck)
        break
      }
      let first = moment()
      decks.noteFade(fade)
      return .event(.crossfadeBegan(to: slot.track, fade: fade), first)
    case .crossfadeCompleted(let deck):
      guard decks.facts.fade != nil, deck == decks.facts.lead else {
        // The fade began before its incoming deck was removed; the outgoing track has ended nevertheless.
        decks.noteEnd(deck.other)
        break
      }
      let last = moment()
      decks.noteFadeCompleted()
      return .event(.crossfadeCompleted, last)
    case .deckEnded(let deck): decks.noteEnd(deck)
    case .starved(let deck):
      guard isLead(deck), decks.hasMoved(deck), let slot = decks.facts[deck], slot.stage == .started else {
        break
      }
      if slot.life.isRestarting, !decoding.deaths.mayRunDry(slot, in: state) {
        decoding.deaths.noteDry(deck, in: state)
        break
      }
      if slot.failure != nil || slot.life.isDead {
        // No decoder will refill the ring or report another end. The track is not ended here, because the mixer may
        // have reached the end and joined the next track since.
        decks.endWhereDry(deck)
        break
      }
      decoding.expectRefill(deck)
      return .event(.didStarve, moment())
    case .refilled(let deck):
      // While silence was expected, `DeckObservation` polls the ring instead.
      if isLead(deck), state.kind == .buffering { return .event(.didRefill, moment()) }
    case .paused: return .settled(moment())
    case .fadeOutCompleted:
      return state.kind == .fadingOut ? .event(.fadeOutCompleted, moment()) : .settled(moment())
    case .deckSilent(let deck, let index):
      if decks.isCurrent(deck) { decks.noteSilence(deck, index: index) }
    case .released(let deck): decks.noteRelease(deck)
    case .announcement(let id, let news): decks.announcements.take(id, news)
    case .liveInput(let id, let news): decks.liveInputs.take(id, news)
    case .ringCorrupt(let deck):
      if let event = corrupted(deck) { return .event(event, positions.moment(in: state)) }
    }
    return .none
  }

  private func isLead(_ deck: Deck) -> Bool { deck == decks.facts.lead && decks.isCurrent(deck) }

  /// The mixer has joined a deck to the other one.
  ///
  /// - Returns: The track that is playing now; nil if the join is obsolete.
  private func advanced(to deck: Deck) -> Track? {
    guard isLead(deck.other), decks.hasMoved(deck.other) else {
      decks.noteOvertaken(deck)
      return nil
    }
    guard decks.isCurrent(deck), let slot = decks.facts[deck], !slot.wasHeard, slot.stage == .cued else {
      // The queue has changed since, so another track is expected; the previous one has ended nevertheless.
      decks.noteEnd(deck.other)
      return nil
    }
    decks.noteAdvance()
    return slot.track
  }

  private func corrupted(_ deck: Deck) -> PlayerEvent? {
    guard decks.isCurrent(deck), decks.facts[deck]?.wasHeard == true else { return nil }
    decks.noteCorruption(deck)
    guard let error = decks.facts[deck]?.failure else { return nil }
    let isIncoming = decks.facts.fade != nil && deck == decks.facts.lead
    return isIncoming ? .didFailNext(error) : .didFail(error)
  }
}
