// The two decks: carries out orders with decoders and mixer commands, and keeps what is known of them up to date with
// what both report. Knows nothing of states. Control thread; never waits.

import AudioRing
import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// Two decks with their decoders.
final class Decks {
  /// What the decks hold.
  var facts = DeckFacts()
  let sender: CommandSender
  let decoders: DeckDecoders
  /// The third deck, of which the facts know nothing.
  let announcements: AnnouncementDeck
  /// That of live sources, of which they know nothing either.
  let liveInputs: LiveInputDeck
  /// How tags' loudness is used, from the next track on.
  var replayGain = ReplayGain()
  /// Where a track begins when no position was asked for; nil is its beginning.
  var startPosition: (Track) -> Frames? = { _ in nil }
  /// Told of a station of which so much is left out.
  var onGap: (Track, Seconds) -> Void = { _, _ in }
  private let declick: Frames

  init(
    _ sender: CommandSender, _ decoders: DeckDecoders, _ announcements: AnnouncementDeck,
    _ liveInputs: LiveInputDeck, declick: Frames
  ) {
    self.sender = sender
    self.decoders = decoders
    self.announcements = announcements
    self.liveInputs = liveInputs
    self.declick = declick
  }

  // MARK: Orders

  /// Carries out one order.
  func carryOut(_ order: DeckOrder) {
    switch order {
    case .clear(let kept, let ramp):
      sender.send(.clear(keeping: kept, ramp: ramp))
      for deck in Deck.allCases where deck != kept { letGo(deck) }
    case .retire(let deck, let ramp):
      if facts[deck]?.isAttached == true { sender.send(.release(deck, ramp: ramp)) }
      letGo(deck)
    case .collapse(let deck, let ramp): sender.send(.collapse(onto: deck, ramp: ramp))
    case .lead: break
    case .open: break
    case .seek(let deck, let target): seek(deck, to: target)
    case .start(let deck, let ramp):
      decoders[deck]?.wake()
      facts[deck]?.startedBy = sender.send(.start(deck, ramp: ramp))
    case .meet(let meeting): meet(meeting)
    case .restoreFade(let fade, let index):
      decoders.wake()
      let command = sender.send(.restoreFade(from: facts.other, to: facts.lead, fade, at: index))
      for deck in Deck.allCases { facts[deck]?.startedBy = command }
    case .quicken(let length): sender.send(.quickFinish(over: length))
    case .gate(let gate, let ramp): turn(gate, ramp)
    }
    facts.apply(order)
    if case .open(let track, let position, let deck) = order { open(track, at: position, on: deck) }
  }

  private func turn(_ gate: DeckFacts.Gate, _ ramp: Frames) {
    switch gate {
    case .open:
      decoders.wake()
      sender.send(.openGate(ramp: ramp))
    case .held: sender.send(.closeGate(.pause, ramp: ramp))
    case .finished: sender.send(.closeGate(.finish, ramp: ramp))
    case .unknown: break
    }
  }

  private func meet(_ meeting: DeckFacts.Meeting) {
    decoders[facts.other]?.wake()
    switch meeting {
    case .none: sender.send(.join(.none))
    case .gapless(let from): sender.send(.join(.gapless(from: from, to: from.other)))
    case .fade(let from, let start, let fade, let ends):
      sender.send(.join(.crossfade(from: from, to: from.other, at: start, fade, ends: ends)))
    }
  }

  /// The mixer lets go of the ring over a ramp, if it has it; until then the memory stays.
  private func letGo(_ deck: Deck) { decoders.letGo(deck, isAttached: facts[deck]?.isAttached == true) }

  private func open(_ track: Track, at planned: Frames, on deck: Deck) {
    let bookmark = planned == .zero ? startPosition(track).map { max(.zero, $0) } : nil
    let position = bookmark ?? planned
    facts[deck] = DeckSlot(track, planned: planned, target: position)
    if let error = decoders.open(track, at: position, on: deck) { facts[deck]?.failure = error }
  }

  private func seek(_ deck: Deck, to target: Frames) {
    guard let slot = facts[deck] else { return }
    if slot.stage == .seeking {
      decoders.seek(deck, slot.track, to: target, continuingAt: slot.originIndex)
    } else if slot.stage != .stopping {
      sender.send(.stop(deck, ramp: declick))
    }
  }

  private func attach(_ deck: Deck) {
    guard let slot = facts[deck], let decoder = decoders[deck] else { return }
    facts[deck]?.attachedBy = sender.send(
      .attach(
        deck, decoder.ring, index: slot.originIndex, trackGain: replayGain.gain(of: slot.track),
        isBeginning: slot.originPosition == .zero))
    facts[deck]?.stage = .cued
    if slot.breaksOff(within: endTolerance) { sender.send(.softenEnd(deck)) }
  }

  /// Drops what failed before it was heard, so that something else can take its place.
  func drop(_ deck: Deck) { carryOut(.retire(deck, ramp: declick)) }

  // MARK: What decoders report

  /// Takes the events of a deck's decoder. Returns the tracks that they describe.
  func takeDecoderEvents(_ deck: Deck) -> [Track] {
    guard let decoder = decoders[deck] else { return [] }
    var described: [Track] = []
    for event in decoder.takeEvents() {
      switch event {
      case .opened(let track), .measured(let track): described.append(track)
      default: break
      }
      take(event, deck)
    }
    return described
  }

  private func take(_ event: DecoderEvent, _ deck: Deck) {
    guard let slot = facts[deck] else { return }
    decoders.record(event, deck, slot)
    switch event {
    case .opened(let track):
      facts[deck]?.track = track
      if track.length == .zero { failSilent(deck, slot.track) }
    case .measured(let track): facts[deck]?.track.length = track.length
    case .ready(let index, let position):
      guard slot.stage == .opening, slot.failure == nil else { return }
      facts[deck]?.originIndex = index
      facts[deck]?.originPosition = position
      facts[deck]?.stage = .waitingForDeck
      if !facts.isLeaving(deck) { attach(deck) }
    case .seeked(let index, let position):
      guard slot.stage == .seeking else { return facts.noteSuccessor(deck, index: index, position: position) }
      facts[deck]?.life.stage = .alive
      facts[deck]?.originIndex = index
      facts[deck]?.originPosition = position
      facts[deck]?.stage = .cued
      facts[deck]?.titles.restart()
      sender.send(.cue(deck, index: index))
    case .ended(let index):
      guard slot.stage != .stopping, slot.stage != .seeking else { return }
      facts[deck]?.outcome = .ended(index: index)
    case .titled(let title, let index): facts[deck]?.titles.note(title, from: index)
    case .leftOut(let time): onGap(slot.track, time)
    case .died(let error): noteDeath(deck, slot, decoders.explained(error, slot.track))
    // Where a successor has failed, the death that it was started for is final.
    case .failed(let error) where slot.life.isRestarting: facts.noteSuccessorLost(deck, error)
    case .failed(let error):
      if case .failed = slot.outcome { return }
      facts[deck]?.outcome = .failed(decoders.explained(error, slot.track))
      facts[deck]?.isOutcomeKnown = false
    }
  }

  /// Played over and over, a file without a single frame would keep a box busy for nothing.
  private func failSilent(_ deck: Deck, _ track: Track) {
    facts.noteFailure(deck, PlaybackError(.corrupt, path: track.path, detail: "it holds no sound"))
  }

  /// From now on takes into account how a deck's decoding came to its end.
  ///
  /// - Parameter isPlaying: Whether the track is heard and has not run dry: it plays to the end of what is decoded.
  /// - Returns: The error of a track that is heard and breaks off; nil otherwise.
  func acceptOutcome(_ deck: Deck, isPlaying: Bool) -> PlaybackError? {
    guard let slot = facts[deck], let outcome = slot.outcome else { return nil }
    facts[deck]?.isOutcomeKnown = true
    switch outcome {
    case .ended(let index):
      facts[deck]?.endIndex = index
      // A file that ends before the length that it states was cut off in its middle.
      if slot.isAttached, facts[deck]?.breaksOff(within: endTolerance) == true {
        sender.send(.softenEnd(deck))
      }
      if index == slot.originIndex, slot.target == .zero, !slot.wasHeard { failSilent(deck, slot.track) }
      return nil
    case .failed(let error):
      facts[deck]?.failure = error
      guard let decoder = decoders[deck] else { return nil }
      // Before the mixer may meet that end. A track that is there to its own last frame ends as it does.
      if slot.isAttached, !slot.isWhole(in: decoder.ring) { sender.send(.softenEnd(deck)) }
      let end = decoder.seal()
      if isPlaying {
        facts[deck]?.endIndex = end
      } else if let named = slot.endIndex, end < named {
        // It never came to the end that it had named.
        facts[deck]?.endIndex = nil
      }
      if facts[deck]?.endIndex != nil { endWhereDry(deck) }
      // A dead decoder's track fails once it has been heard to there, and says so then.
      return isPlaying && slot.life.lossError == nil ? error : nil
    }
  }

  /// Has the mixer take a deck's track for over where its ring runs dry, since no decoder is left to fill it. Until the mixer
  /// says so it is not over: what follows may have been joined to it by then.
  func endWhereDry(_ deck: Deck) {
    if facts[deck]?.isAttached == true { sender.send(.endWhereDry(deck)) }
  }

  // MARK: What the mixer reports

  /// Whether the mixer speaks of what is on the deck now: until it has got that ring, its reports are about the last.
  func isCurrent(_ deck: Deck) -> Bool {
    guard let command = facts[deck]?.attachedBy else { return false }
    return sender.hasTakenEffect(command)
  }

  /// Whether a deck moves, or has moved since it was put where it is: its index counts from then on.
  func hasMoved(_ deck: Deck) -> Bool {
    guard isCurrent(deck), let slot = facts[deck], slot.wasHeard else { return false }
    return slot.startedBy.map { sender.hasTakenEffect($0) } ?? true
  }

  /// The lead is over and the other deck continues.
  func noteAdvance() {
    facts.noteAdvance()
    decoders[facts.lead]?.wake()
  }

  /// The mixer has begun a deck that was to wait: its join or fade came before the orders that take it back. What has
  /// begun is of no use any more, and is opened again where it is wanted.
  func noteOvertaken(_ deck: Deck) {
    if isCurrent(deck), facts[deck]?.stage == .cued { drop(deck) }
  }

  /// The fade from the lead to the other deck runs.
  func noteFade(_ fade: Fade) {
    facts.noteFade(fade)
    decoders[facts.lead]?.wake()
  }

  /// The fade is over.
  func noteFadeCompleted() { facts.noteFadeCompleted() }

  /// The lead waits where its decoder has come to stand, which is returned, in frames of its track.
  func noteLanding() -> Frames? { facts.noteLanding() }

  /// A deck has played its last frame; a report from before it was started does not count.
  func noteEnd(_ deck: Deck) {
    if facts[deck]?.stage == .started, hasMoved(deck) { facts[deck]?.stage = .ended }
  }

  /// A deck that was stopped for a seek is silent: its decoder seeks.
  func noteSilence(_ deck: Deck, index: UInt64) {
    guard facts.noteSilence(deck, index: index), let slot = facts[deck] else { return }
    beginSeek(deck, slot, at: index)
  }

  /// The mixer has let go of a deck's former ring.
  func noteRelease(_ deck: Deck) {
    decoders.noteRelease(deck)
    facts.setLeaving(deck, false)
    if facts[deck]?.stage == .waitingForDeck { attach(deck) }
  }

  /// The mixer has closed the gate by itself, for want of a device; an order to open it may have come after that.
  func noteLoss() {
    facts.gate = .unknown
    announcements.noteLoss()
    liveInputs.noteLoss()
  }

  /// A deck's ring held indexes that cannot be.
  func noteCorruption(_ deck: Deck) {
    guard let slot = facts[deck] else { return }
    facts[deck]?.failure = PlaybackError(
      .decoderBrokeSandbox, path: slot.track.path, detail: "it wrote impossible indexes into its ring")
    // Not another frame of it is read.
    noteEnd(deck)
  }
}
