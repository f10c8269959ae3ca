// What the audio thread reports: facts about the decks, and events of the state machine. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Takes everything that the audio thread has reported, with all that follows from it.
  package func takeReports() {
    while let report = link.takeReport() {
      take(report)
      settle()
      handledFrame = nil
    }
  }

  private func take(_ report: AudioReport) {
    record(report)
    switch report {
    case .mixer(let stamped):
      take(stamped)
    case .underrun(let frame):
      observer?.player(self, notes: "The output ran dry at frame \(frame.count); playing goes on.")
    case .deviceLost:
      observer?.player(self, notes: "The sound device is gone; looking for it until it is back.")
      decks.noteLoss()
      process(.outputLost, at: moment())
    case .deviceRestored:
      observer?.player(self, notes: "The sound device is back.")
      process(.outputRestored, at: moment())
    case .wentShallow:
      observer?.player(
        self, notes: "The device does not take back what it was given: short buffer from now on.")
    case .limitReached(let frame):
      handledFrame = frame
      onLimit?(frame)
    }
  }

  private func take(_ stamped: StampedEvent) {
    handledFrame = stamped.positions.frame
    let time = scheduler.now
    func then() -> Moment { moment(at: stamped.positions, time: time) }
    switch stamped.event {
    case .applied(let id):
      decks.sender.noteApplied(id, heardAt: timeHeard(stamped.positions.frame))
    case .advanced(let deck): advanced(to: deck, then)
    case .crossfadeBegan(let deck, let fade):
      guard deck == decks.facts.other, decks.isCurrent(deck), decks.isCurrent(deck.other),
        let slot = decks.facts[deck]
      else { return decks.noteOvertaken(deck) }
      let first = then()
      decks.noteFade(fade)
      process(.crossfadeBegan(to: slot.track, fade: fade), at: first)
    case .crossfadeCompleted(let deck):
      guard decks.facts.fade != nil, deck == decks.facts.lead else {
        // Begun before its incoming deck was taken away: the outgoing track is over all the same.
        return decks.noteEnd(deck.other)
      }
      let last = then()
      decks.noteFadeCompleted()
      process(.crossfadeCompleted, at: last)
    case .deckEnded(let deck):
      decks.noteEnd(deck)
    case .starved(let deck): starved(deck, then)
    case .refilled(let deck):
      // While it was to stay silent, the player has looked for itself.
      if isLead(deck), machine.state.kind == .buffering { process(.didRefill, at: then()) }
    case .paused: settlePause(then())
    case .fadeOutCompleted:
      if machine.state.kind == .fadingOut {
        process(.fadeOutCompleted, at: then())
      } else {
        settlePause(then())
      }
    case .deckSilent(let deck, let index):
      if decks.isCurrent(deck) { decks.noteSilence(deck, index: index) }
    case .released(let deck):
      decks.noteRelease(deck)
    case .ringCorrupt(let deck): corrupted(deck)
    }
  }

  private func isLead(_ deck: Deck) -> Bool { deck == decks.facts.lead && decks.isCurrent(deck) }

  private func settlePause(_ moment: Moment) {
    if machine.settle(current: moment.current, next: moment.next, fade: moment.fade) {
      observer?.playerDidChange(self)
    }
  }

  private func advanced(to deck: Deck, _ then: () -> Moment) {
    guard isLead(deck.other) else { return decks.noteOvertaken(deck) }
    guard decks.hasMoved(deck.other) else { return decks.noteOvertaken(deck) }
    guard decks.isCurrent(deck), let slot = decks.facts[deck], !slot.wasHeard, slot.stage == .cued else {
      // The queue has another mind since: the track is over all the same.
      return decks.noteEnd(deck.other)
    }
    decks.noteAdvance()
    process(.didAdvance(slot.track), at: then())
  }

  private func starved(_ deck: Deck, _ then: () -> Moment) {
    guard isLead(deck), decks.hasMoved(deck), let slot = decks.facts[deck], slot.failure == nil,
      slot.stage == .started
    else { return }
    process(.didStarve, at: then())
    decks.expectRefill(deck)
  }

  private func corrupted(_ deck: Deck) {
    guard decks.isCurrent(deck), decks.facts[deck]?.wasHeard == true else { return }
    decks.noteCorruption(deck)
    guard let error = decks.facts[deck]?.failure else { return }
    let isIncoming = decks.facts.fade != nil && deck == decks.facts.lead
    process(isIncoming ? .didFailNext(error) : .didFail(error), at: moment())
  }
}
