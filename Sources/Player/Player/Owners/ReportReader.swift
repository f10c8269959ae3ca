// What the mixer reports: facts about the decks, and events of the state machine. Control thread only.

import PlaybackModel
import RealtimeAudio

/// Reads the mixer's reports. The mixer lags behind what was ordered of it, so some are about the past.
final class ReportReader {
  /// What a report means for the state.
  enum News {
    /// The decks know it by now, and the state need not.
    case none
    /// Something happened at a moment.
    case event(PlayerEvent, Moment)
    /// Everything stands still at a moment.
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

  /// The audio thread's next report; nil where all have been taken.
  func next() -> AudioReport? { link.takeReport() }

  /// Brings the decks up to date with a report, and finds out what it means for the state.
  func take(_ stamped: StampedEvent, in state: PlayerState) -> News {
    // As the decks and the state are when it is asked for.
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
        // Begun before its incoming deck was taken away: the outgoing track is over all the same.
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
        // No decoder is left to fill it, or to name another end than its ring holds. The mixer may have come to its end since, and joined
        // what follows.
        decks.endWhereDry(deck)
        break
      }
      decoding.expectRefill(deck)
      return .event(.didStarve, moment())
    case .refilled(let deck):
      // While it was to stay silent, `DeckObservation` has looked for itself.
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

  /// The mixer has joined a deck to the other one. Returns the track that plays now; nil if the join came to nothing.
  private func advanced(to deck: Deck) -> Track? {
    guard isLead(deck.other), decks.hasMoved(deck.other) else {
      decks.noteOvertaken(deck)
      return nil
    }
    guard decks.isCurrent(deck), let slot = decks.facts[deck], !slot.wasHeard, slot.stage == .cued else {
      // The queue has another mind since: the track is over all the same.
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
