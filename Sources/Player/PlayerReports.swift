// What the audio thread reports, turned into events of the state machine. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Takes everything that the audio thread has reported, then handles what follows from it.
  public func takeReports() {
    var isAny = false
    while let report = link.takeReport() {
      isAny = true
      take(report)
      handleInbox()
      handledFrame = nil
    }
    if isAny { drain() }
  }

  private func take(_ report: AudioReport) {
    switch report {
    case .mixer(let stamped):
      take(stamped)
    case .underrun(let frame):
      observer?.player(self, notes: "The output ran dry at frame \(frame.count); playing goes on.")
    case .deviceLost:
      observer?.player(self, notes: "The sound device is gone; looking for it until it is back.")
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
    let then = moment(at: stamped.positions, time: events.now)
    switch stamped.event {
    case .applied(let id):
      latency.heard(id, at: timeHeard(stamped.positions.frame))
    case .advanced(let deck):
      advanced(to: deck, stamped.positions)
    case .crossfadeBegan:
      // Rendered before its deck was taken away: there is nothing left that could fade in.
      guard let slot = self[currentDeck.other], slot.isAttached else { return }
      let next = slot.track
      self[currentDeck.other]?.stage = .started
      self[currentDeck.other]?.decoder.wake()
      process(.crossfadeBegan(to: next, fade: orderedFade), at: then)
    case .crossfadeCompleted:
      let old = currentDeck
      // Cut short by an order that had not been heard yet: its decks are as that order left them.
      guard self[old.other]?.stage == .started else { return }
      currentDeck = old.other
      process(.crossfadeCompleted, at: moment(at: stamped.positions, time: then.time))
      retire(old)
    case .deckEnded(let deck):
      guard isCurrent(deck) else { return }
      currentEnded(at: then)
    case .starved(let deck):
      guard isCurrent(deck) else { return }
      starved(deck, at: then)
    case .refilled(let deck):
      // While it was to stay silent, the player has looked for itself.
      if isCurrent(deck), machine.state.kind == .buffering { process(.didRefill, at: then) }
    case .paused:
      _ = machine.settle(current: then.current, next: then.next, fade: then.fade)
      observer?.playerDidChange(self)
    case .fadeOutCompleted:
      process(.fadeOutCompleted, at: then)
    case .deckSilent(let deck, let index):
      guard case .stoppingForSeek(let target) = self[deck]?.stage else { return }
      self[deck]?.stage = .seeking(target: target)
      self[deck]?.originIndex = index
      self[deck]?.endIndex = nil
      self[deck]?.decoder.seek(to: target, continuingAt: index)
    case .released(let deck):
      deckWasReleased(deck)
    case .ringCorrupt(let deck):
      guard let slot = self[deck], slot.isAttached else { return }
      let error = PlaybackError(
        .decoderBrokeSandbox, path: slot.track.path, detail: "it wrote impossible indexes into its ring")
      post(.deckFailed(deck == currentDeck ? .current : .next, error))
    }
  }

  /// Whether the mixer speaks of the current track. Until it has let go of a deck's former ring, its reports
  /// are about that one.
  private func isCurrent(_ deck: Deck) -> Bool { deck == currentDeck && self[deck]?.isAttached == true }

  private func advanced(to deck: Deck, _ positions: MixerPositions) {
    let old = currentDeck
    guard deck != old, let slot = self[deck], slot.isAttached else { return }
    let next = slot.track
    // The rest of the track came and was heard in one go: that it came goes without saying.
    if machine.state.kind == .buffering {
      process(.didRefill, at: moment(at: positions, time: events.now))
    }
    currentDeck = deck
    self[deck]?.stage = .started
    self[deck]?.decoder.wake()
    process(.didAdvance(next), at: moment(at: positions, time: events.now))
    retire(old)
  }

  /// The current track is over and nothing was joined to it: the next one is late, or there is none.
  private func currentEnded(at then: Moment) {
    if case .preparingCrossfade = machine.state {
      // The queue has moved on already.
      process(.deckEnded(.current), at: then)
      return
    }
    guard let next = queue.advance() else {
      process(.didReachEnd, at: then)
      return
    }
    // Nothing is left that could fade out.
    let fadesManually = machine.settings.fadesManually
    machine.settings.fadesManually = false
    process(.skip(to: next), at: then)
    machine.settings.fadesManually = fadesManually
  }

  private func starved(_ deck: Deck, at then: Moment) {
    if let error = self[deck]?.failure {
      process(.deckFailed(.current, error), at: then)
      return
    }
    process(.didStarve, at: then)
    self[deck]?.decoder.expectRefill(now: events.now)
  }
}
