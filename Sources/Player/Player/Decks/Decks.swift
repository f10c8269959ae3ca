// Drives the two decks: carries out orders with decoders and mixer commands, and updates the deck facts from their
// reports. Independent of the player's states. Control thread; never blocks.

import AudioRing
import Flight
import PlaybackModel
import Platform
import RealtimeAudio

/// The two decks with their decoders.
final class Decks {
  /// The state of both decks.
  var facts = DeckFacts()
  let sender: CommandSender
  let decoders: DeckDecoders
  /// The third deck, for announcements; not part of the facts.
  let announcements: AnnouncementDeck
  /// The deck of live sources; not part of the facts.
  let liveInputs: LiveInputDeck
  /// How ReplayGain tags are used, starting with the next track.
  var replayGain = ReplayGain()
  /// The start position of a track opened without one, such as a bookmark; nil: its beginning.
  var startPosition: (Track) -> Frames? = { _ in nil }
  /// Called when a station was rejoined, with the approximate duration that is missing.
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

  /// Carries out one order and updates the facts.
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

  /// Ends a deck's decoder. The mixer releases an attached ring after a ramp; until then the memory stays mapped.
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

  /// Drops a track that failed before it was heard, so that the deck is free.
  func drop(_ deck: Deck) { carryOut(.retire(deck, ramp: declick)) }

  // MARK: Decoder events

  /// Processes the events of a deck's decoder.
  ///
  /// - Returns: The tracks whose tags or length have become known.
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
    case .died(let error): noteDeath(deck, slot, decoders.explained(error, slot.track, on: deck))
    // The successor has failed too, so the original death is final.
    case .failed(let error) where slot.life.isRestarting: facts.noteSuccessorLost(deck, error)
    case .failed(let error):
      if case .failed = slot.outcome { return }
      facts[deck]?.outcome = .failed(decoders.explained(error, slot.track, on: deck))
      facts[deck]?.isOutcomeKnown = false
    }
  }

  /// Fails a file without a single frame: repeated endlessly, it would keep the CPU busy without sound.
  private func failSilent(_ deck: Deck, _ track: Track) {
    facts.noteFailure(deck, PlaybackError(.corrupt, path: track.path, detail: "it holds no sound"))
  }

  /// Acts on the end of a deck's decoding.
  ///
  /// - Parameter isPlaying: Whether the track is audible and has not underrun, so that it plays to the end of what is
  ///   decoded.
  /// - Returns: The error of an audible track that ends early; nil otherwise.
  func acceptOutcome(_ deck: Deck, isPlaying: Bool) -> PlaybackError? {
    guard let slot = facts[deck], let outcome = slot.outcome else { return nil }
    facts[deck]?.isOutcomeKnown = true
    switch outcome {
    case .ended(let index):
      facts[deck]?.endIndex = index
      // The file ends before its stated length, so it was truncated: fade the end out.
      if slot.isAttached, facts[deck]?.breaksOff(within: endTolerance) == true {
        sender.send(.softenEnd(deck))
      }
      if index == slot.originIndex, slot.target == .zero, !slot.wasHeard { failSilent(deck, slot.track) }
      return nil
    case .failed(let error):
      facts[deck]?.failure = error
      guard let decoder = decoders[deck] else { return nil }
      // Soften the end before the mixer reaches it, unless the track is in the ring to its own last frame.
      if slot.isAttached, !slot.isWhole(in: decoder.ring) { sender.send(.softenEnd(deck)) }
      let end = decoder.seal()
      if isPlaying {
        facts[deck]?.endIndex = end
      } else if let named = slot.endIndex, end < named {
        // The decoder failed before the end that it had reported.
        facts[deck]?.endIndex = nil
      }
      if facts[deck]?.endIndex != nil { endWhereDry(deck) }
      // For a dead decoder the error is reported when the ring's end has been heard.
      return isPlaying && slot.life.lossError == nil ? error : nil
    }
  }

  /// Makes the mixer treat a deck's track as ended when its ring runs dry, since no decoder will refill it. The track
  /// ends only with the mixer's report, because a join may have begun by then.
  func endWhereDry(_ deck: Deck) {
    if facts[deck]?.isAttached == true { sender.send(.endWhereDry(deck)) }
  }

  // MARK: Mixer reports

  /// Whether the mixer's reports about a deck concern its present ring. Until the attach command has taken effect
  /// they concern the previous one.
  func isCurrent(_ deck: Deck) -> Bool {
    guard let command = facts[deck]?.attachedBy else { return false }
    return sender.hasTakenEffect(command)
  }

  /// Whether the deck has started since it was positioned, so that its reported ring index is valid.
  func hasMoved(_ deck: Deck) -> Bool {
    guard isCurrent(deck), let slot = facts[deck], slot.wasHeard else { return false }
    return slot.startedBy.map { sender.hasTakenEffect($0) } ?? true
  }

  /// The mixer has advanced from the lead to the other deck.
  func noteAdvance() {
    facts.noteAdvance()
    decoders[facts.lead]?.wake()
  }

  /// A join or fade has started a deck before the orders that cancel it arrived. The deck is dropped and reopened if
  /// the plan needs it.
  func noteOvertaken(_ deck: Deck) {
    if isCurrent(deck), facts[deck]?.stage == .cued { drop(deck) }
  }

  /// The mixer has begun a fade from the lead to the other deck.
  func noteFade(_ fade: Fade) {
    facts.noteFade(fade)
    decoders[facts.lead]?.wake()
  }

  /// The fade has ended.
  func noteFadeCompleted() { facts.noteFadeCompleted() }

  /// Records where the lead's decoder landed. Returns the position in frames; nil unless the lead is cued.
  func noteLanding() -> Frames? { facts.noteLanding() }

  /// A deck has played its last frame. Reports from before its start are ignored.
  func noteEnd(_ deck: Deck) {
    if facts[deck]?.stage == .started, hasMoved(deck) { facts[deck]?.stage = .ended }
  }

  /// A deck that was stopped for a seek is silent: starts the seek of its decoder.
  func noteSilence(_ deck: Deck, index: UInt64) {
    guard facts.noteSilence(deck, index: index), let slot = facts[deck] else { return }
    beginSeek(deck, slot, at: index)
  }

  /// The mixer has released a deck's previous ring.
  func noteRelease(_ deck: Deck) {
    decoders.noteRelease(deck)
    facts.setLeaving(deck, false)
    if facts[deck]?.stage == .waitingForDeck { attach(deck) }
  }

  /// The mixer has closed the gate because the device was lost. An order to open it may have arrived afterwards, so
  /// the gate's state is unknown.
  func noteLoss() {
    facts.gate = .unknown
    announcements.noteLoss()
    liveInputs.noteLoss()
  }

  /// A deck's ring contained impossible indexes.
  func noteCorruption(_ deck: Deck) {
    guard let slot = facts[deck] else { return }
    facts[deck]?.failure = PlaybackError(
      .decoderBrokeSandbox, path: slot.track.path, detail: "it wrote impossible indexes into its ring")
    // Nothing more is read from this ring.
    noteEnd(deck)
  }
}
