// What can be seen of the decks, turned into events of the state machine, and what shall follow the current track.
// Control thread only.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Takes what the decoders have to say, with all that follows from it.
  func hearDecoders() {
    takeReports()
    takeDecoderEvents()
    settle()
  }

  private func takeDecoderEvents() {
    for deck in Deck.allCases {
      for track in decks.takeDecoderEvents(deck) {
        machine.describe(track)
        queue.describe(track)
        observer?.playerDidChange(self)
      }
    }
  }

  /// How much of the music ahead the end of a decoding is known for. Less than a ring holds.
  var horizon: Frames { rate.frames(Seconds(1.25)) }

  /// Learns how decoding came to an end, where that is near. A decoder that fails while its track is heard costs what it
  /// had not decoded, and no more.
  func learnOutcomes() {
    let positions = link.reading().positions
    for deck in Deck.allCases {
      guard let slot = decks.facts[deck], slot.outcome != nil, !slot.isOutcomeKnown,
        !isAboutToStart(deck, slot)
      else { continue }
      let heard = decks.isCurrent(deck) && slot.stage == .started ? positions.index(deck) : slot.originIndex
      let isStarving = machine.state.kind == .buffering && deck == decks.facts.lead
      guard
        let error = decks.learnOutcome(deck, heard: heard, horizon: horizon, isStarving: isStarving)
      else { continue }
      report(error)
    }
  }

  /// Reports an error that changes no state.
  private func report(_ error: PlaybackError) {
    failedTracks += 1
    machine.note(error, at: moment())
    observer?.player(self, reports: error)
  }

  /// Whether a deck will be heard next, whatever has become of its decoder: what is in the ring is played.
  private func isAboutToStart(_ deck: Deck, _ slot: DeckSlot) -> Bool {
    guard deck == decks.facts.lead, slot.stage == .cued else { return false }
    switch machine.state {
    case .preparing(_, let intent, _), .seeking(_, _, let intent): return intent.isPlay
    case .playing: return true
    default: return false
    }
  }

  /// Seconds until the end of a decoding is near enough to be learnt; nil where none is known.
  private var timeUntilOutcome: Double? {
    guard let slot = decks.facts.leadSlot, slot.stage == .started, !slot.isOutcomeKnown,
      let outcome = slot.outcome,
      let decoder = decks.decoder(decks.facts.lead)
    else { return nil }
    let reading = link.reading().positions
    let heard = reading.index(decks.facts.lead)
    let left =
      switch outcome {
      case .ended(let end): end > heard ? Int64(clamping: end - heard) : 0
      case .failed: Int64(decoder.ring.frames(from: heard))
      }
    // The reading may be of the last turn; what it is behind is the difference of the two positions.
    let behind = position - slot.position(of: heard)
    return rate.seconds(Frames(left) - horizon - behind).value
  }

  // MARK: Observation

  /// What the decks have come to that the state does not know yet.
  func observation() -> PlayerEvent? {
    let lead = decks.facts.leadSlot
    let other = decks.facts.otherSlot
    switch machine.state {
    case .idle, .finished, .failed: return nil
    case .preparing(_, let intent, _):
      return (intent == .pause(.user) ? recue : nil) ?? awaited(lead, .didPrepare)
    case .ready: return recue ?? lead?.failure.map { .didFail($0) }
    case .seeking(_, let target, _):
      guard let lead, lead.target == target else { return nil }
      return awaited(lead, .didSeek) ?? failedNext(other)
    case .playing: return ended(lead) ?? unheardFailure(lead) ?? failedNext(other) ?? due
    case .paused: return ended(lead) ?? unheardFailure(lead) ?? failedNext(other)
    case .buffering(_, let intent):
      if let failure = lead?.failure, lead?.endIndex == nil { return .didFail(failure) }
      if let end = ended(lead) { return end }
      return intent.isPlay ? nil : refilled(lead)
    case .preparingCrossfade(_, _, let plan):
      if lead?.stage == .ended { return .didReachEnd(next: nil) }
      if let failure = unheardFailure(lead) ?? other?.failure.map({ .didFailNext($0) }) { return failure }
      if plan.trigger == .automatic { return due }
      return !plan.isArmed && other?.stage == .cued ? .didPrepareNext : nil
    case .crossfading, .crossfadePaused:
      if let failure = lead?.failure, lead?.wasHeard != true { return .didFailNext(failure) }
      if let failure = other?.failure, other?.wasHeard != true {
        decks.drop(decks.facts.other)
        guard machine.state.kind == .crossfading else { return .didFail(failure) }
        // Whoever waits for it would have it opened again and again.
        report(failure)
        return .crossfadeCompleted
      }
      return decks.facts.fade == nil && !awaitsFade ? .crossfadeCompleted : nil
    case .fadingOut: return lead?.stage == .ended ? .didReachEnd(next: nil) : failedNext(other)
    }
  }

  /// Whether a fade from before a restart waits for its decks. One whose outgoing track cannot be had never runs.
  private var awaitsFade: Bool {
    guard let lead = decks.facts.leadSlot, let other = decks.facts.otherSlot else { return false }
    return other.failure == nil && !lead.wasHeard && !other.wasHeard
  }

  private func awaited(_ slot: DeckSlot?, _ success: PlayerEvent) -> PlayerEvent? {
    guard let slot else { return nil }
    if let failure = slot.failure, !slot.wasHeard { return .didFail(failure) }
    return slot.stage == .cued ? success : nil
  }

  private func unheardFailure(_ lead: DeckSlot?) -> PlayerEvent? {
    guard let lead, let failure = lead.failure, !lead.wasHeard else { return nil }
    return .didFail(failure)
  }

  /// The current track is over and nothing was joined to it: the next one is late, or there is none.
  private func ended(_ lead: DeckSlot?) -> PlayerEvent? {
    guard let lead, lead.stage == .ended else { return nil }
    if lead.endIndex == lead.originIndex, lead.target == .zero, lead.isUnmoved {
      queue.markFailed(lead.track.id)
    }
    return .didReachEnd(next: queue.advance())
  }

  /// The track that was cued ahead is of no use: another one takes its place.
  private func failedNext(_ other: DeckSlot?) -> PlayerEvent? {
    guard let other, let failure = other.failure, !other.wasHeard else { return nil }
    queue.markFailed(other.track.id)
    decks.drop(decks.facts.other)
    return .didFailNext(failure)
  }

  /// A deck that has run dry sounds by itself as soon as it is filled again; while nothing is to be heard the mixer does
  /// not notice, and somebody has to look.
  private func refilled(_ lead: DeckSlot?) -> PlayerEvent? {
    guard let lead, lead.stage == .started, let decoder = decks.decoder(decks.facts.lead) else { return nil }
    let index = link.reading().positions.index(decks.facts.lead)
    guard !decoder.ring.holds(Int(rate.frames(Seconds(0.25)).count), from: index) else { return .didRefill }
    if !refillTimer.isRunning {
      refillTimer.start(after: 100_000_000) { [unowned(unsafe) self] in settle() }
    }
    return nil
  }

  // MARK: What follows

  /// How long before it is due the next track is opened.
  static var lead: Seconds { Seconds(10) }

  /// The event that brings the state in line with what queue and settings want after the current track.
  private var due: PlayerEvent? {
    guard let wanted = wantedSuccession, case .faded(let fade) = wanted.join else {
      return machine.state.kind == .preparingCrossfade ? .nextWithdrawn : nil
    }
    if case .preparingCrossfade(_, let next, let plan) = machine.state, next.id == wanted.next.id,
      plan.fade == fade
    {
      return nil
    }
    return .nextDue(wanted.next, fade: fade)
  }

  /// What queue and settings want after the current track; nil as long as nothing has to be prepared for it.
  var wantedSuccession: Succession? {
    switch machine.state {
    case .playing, .paused, .buffering, .seeking: break
    case .preparingCrossfade(_, _, let plan): if plan.trigger == .manual { return nil }
    case .fadingOut: if decks.facts.fade != nil { return nil }
    default: return nil
    }
    guard let current = decks.facts.leadSlot, let wanted = queue.peekNext else { return nil }
    guard let next = decks.facts.otherSlot, next.fits(.fresh(wanted, at: .zero)) else {
      return timeUntilDue(current).map { $0 <= 0 } == true ? Succession(wanted, .undecided) : nil
    }
    guard next.stage == .cued, next.failure == nil else { return Succession(wanted, .undecided) }
    return Succession(
      of: current.measuredTrack, to: next.measuredTrack, at: next.target, knowsEnd: current.knownEnd != nil,
      fadesAlbums: fadesAlbums, settings: machine.settings)
  }

  /// Seconds until the next track has to be opened; nil while that cannot be told. Without a length the end is told by
  /// the decoder, seconds before it is heard.
  private func timeUntilDue(_ slot: DeckSlot) -> Double? {
    guard let length = slot.length else { return nil }
    switch slot.stage {
    case .cued, .started, .ended: break
    case .opening, .waitingForDeck, .stopping, .seeking: return nil
    }
    let lead = Self.lead.value + machine.settings.automaticFadeLength.value
    return rate.seconds(length - position).value - lead
  }

  /// Whether time alone makes the next track due.
  private var opensNextByItself: Bool {
    switch machine.state.kind {
    case .playing, .fadingOut: true
    default: false
    }
  }

  /// Looks again when the next track has to be opened.
  func planSuccession() {
    guard machine.state.isActive, let current = decks.facts.leadSlot else { return succession.stop() }
    var wait = timeUntilOutcome.map { max($0, 0) }
    if opensNextByItself, decks.facts.otherSlot == nil, queue.peekNext != nil,
      let due = timeUntilDue(current), due > 0
    {
      wait = min(wait ?? due, due)
    }
    guard let wait else { return succession.stop() }
    succession.start(after: UInt64(wait * 1e9) + 1_000_000) { [unowned(unsafe) self] in settle() }
  }
}
