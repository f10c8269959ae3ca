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
  private(set) var facts = DeckFacts()
  let sender: CommandSender
  /// How tags' loudness is used, from the next track on.
  var replayGain = ReplayGain()
  /// Where a track begins when nobody asks for a position; nil is its beginning.
  var startPosition: (Track) -> Frames? = { _ in nil }
  /// Whether the storage that a track lies on is away at present: a file that is missing there is not gone for good.
  var isStorageAway: (Track) -> Bool = { _ in false }
  /// Called when a deck's decoder has something to say.
  var onEvents: () -> Void = {}

  /// Told what becomes of the decoders; nil: nobody.
  var flight: FlightRecorder? { didSet { sender.flight = flight } }

  private let scheduler: any Scheduler
  private let source: any DecoderSource
  private let declick: Frames
  private var loads: [(any TrackDecoder)?] = [nil, nil]
  /// Decoders whose ring the mixer still holds.
  private var leaving: [(any TrackDecoder)?] = [nil, nil]
  private let rate: SampleRate
  /// When each decoder got its present task.
  private var since: [UInt64] = [0, 0]

  init(
    _ scheduler: any Scheduler, link: AudioLink, source: any DecoderSource, rate: SampleRate, declick: Frames
  ) {
    self.scheduler = scheduler
    self.source = source
    self.rate = rate
    self.declick = declick
    sender = CommandSender(link, scheduler)
  }

  private func place(_ deck: Deck) -> Int { Int(deck.rawValue) }

  /// The decoder on a deck.
  func decoder(_ deck: Deck) -> (any TrackDecoder)? { loads[place(deck)] }

  /// Ends all decoders. The audio thread has ended before.
  func end() {
    for deck in Deck.allCases {
      loads[place(deck)]?.terminate()
      loads[place(deck)] = nil
    }
    leaving = [nil, nil]
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
      decoder(deck)?.wake()
      facts[deck]?.startedBy = sender.send(.start(deck, ramp: ramp))
    case .meet(let meeting): meet(meeting)
    case .restoreFade(let fade, let index):
      wake()
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
      wake()
      sender.send(.openGate(ramp: ramp))
    case .held: sender.send(.closeGate(.pause, ramp: ramp))
    case .finished: sender.send(.closeGate(.finish, ramp: ramp))
    case .unknown: break
    }
  }

  private func meet(_ meeting: DeckFacts.Meeting) {
    decoder(facts.other)?.wake()
    switch meeting {
    case .none: sender.send(.join(.none))
    case .gapless(let from): sender.send(.join(.gapless(from: from, to: from.other)))
    case .fade(let from, let start, let fade, let ends):
      sender.send(.join(.crossfade(from: from, to: from.other, at: start, fade, ends: ends)))
    }
  }

  /// The mixer lets go of the ring over a ramp, if it has it; until then the memory stays.
  private func letGo(_ deck: Deck) {
    guard let decoder = loads[place(deck)] else { return }
    loads[place(deck)] = nil
    decoder.terminate()
    guard facts[deck]?.isAttached == true else { return }
    precondition(leaving[place(deck)] == nil, "a ring is attached only when the last one is gone")
    leaving[place(deck)] = decoder
  }

  private func open(_ track: Track, at planned: Frames, on deck: Deck) {
    precondition(loads[place(deck)] == nil, "a deck is retired before it gets another track")
    let bookmark = planned == .zero ? startPosition(track).map { max(.zero, $0) } : nil
    let position = bookmark ?? planned
    facts[deck] = DeckSlot(track, planned: planned, target: position)
    begin(.opening, deck, track, at: position)
    do throws(PlaybackError) {
      let decoder = try source.open(track, at: position)
      decoder.onEvents = { [unowned(unsafe) self] in onEvents() }
      loads[place(deck)] = decoder
    } catch {
      let error = explained(error, track)
      facts[deck]?.failure = error
      flight?.note(.refused, deck, track, error: error.kind)
    }
  }

  /// What an error means, for whoever knows which storage is there.
  private func explained(_ error: PlaybackError, _ track: Track) -> PlaybackError {
    guard error.kind == .missing, isStorageAway(track) else { return error }
    return PlaybackError(.storageRemoved, path: track.path)
  }

  /// A decoder gets something to do; how long it takes is recorded.
  private func begin(_ news: DecodingNews, _ deck: Deck, _ track: Track, at position: Frames) {
    since[place(deck)] = scheduler.now
    flight?.note(news, deck, track, position: rate.seconds(position))
  }

  private func record(_ event: DecoderEvent, _ deck: Deck, _ track: Track) {
    guard let flight else { return }
    let took = scheduler.now - since[place(deck)]
    switch event {
    case .opened(let track):
      flight.note(.opened, deck, track, took: took, length: track.length.map(rate.seconds))
    case .ready(_, let position):
      flight.note(.ready, deck, track, took: took, position: rate.seconds(position))
    case .seeked(_, let position):
      flight.note(.seeked, deck, track, took: took, position: rate.seconds(position))
    case .ended(let index): flight.note(.ended, deck, track, position: end(deck, index))
    case .failed(let error):
      flight.note(.failed, deck, track, took: took, position: end(deck, nil), error: error.kind)
    }
  }

  /// How far a deck's track is decoded, in its own time.
  private func end(_ deck: Deck, _ index: UInt64?) -> Seconds? {
    guard let slot = facts[deck], let decoder = decoder(deck) else { return nil }
    let end = index ?? decoder.ring.writtenIndex
    // Hours in frames; what lies beyond was not written by anybody sane.
    guard end &- slot.originIndex < 1 << 40 else { return nil }
    return rate.seconds(slot.position(of: end))
  }

  private func seek(_ deck: Deck, to target: Frames) {
    guard let slot = facts[deck] else { return }
    if slot.stage == .seeking {
      begin(.seeking, deck, slot.track, at: target)
      decoder(deck)?.seek(to: target, continuingAt: slot.originIndex)
    } else if slot.stage != .stopping {
      sender.send(.stop(deck, ramp: declick))
    }
  }

  /// Tells the decoders that their rings are being read: a decoder paces itself by the clock.
  func wake() {
    for decoder in loads { decoder?.wake() }
  }

  // MARK: What decoders tell

  /// Takes what a deck's decoder has to say. Answers tracks that were described.
  func takeDecoderEvents(_ deck: Deck) -> [Track] {
    guard let decoder = decoder(deck) else { return [] }
    var described: [Track] = []
    for event in decoder.takeEvents() {
      if case .opened(let track) = event { described.append(track) }
      take(event, deck)
    }
    return described
  }

  private func take(_ event: DecoderEvent, _ deck: Deck) {
    guard let slot = facts[deck] else { return }
    record(event, deck, slot.track)
    switch event {
    case .opened(let track):
      facts[deck]?.track = track
      if track.length == .zero { failSilent(deck) }
    case .ready(let index, let position):
      guard slot.stage == .opening, slot.failure == nil else { return }
      facts[deck]?.originIndex = index
      facts[deck]?.originPosition = position
      facts[deck]?.stage = .waitingForDeck
      if !facts.isLeaving(deck) { attach(deck) }
    case .seeked(let index, let position):
      guard slot.stage == .seeking else { return }
      facts[deck]?.originIndex = index
      facts[deck]?.originPosition = position
      facts[deck]?.stage = .cued
      sender.send(.cue(deck, index: index))
    case .ended(let index):
      guard slot.stage != .stopping, slot.stage != .seeking else { return }
      facts[deck]?.outcome = .ended(index: index)
    case .failed(let error):
      if case .failed = slot.outcome { return }
      facts[deck]?.outcome = .failed(explained(error, slot.track))
      facts[deck]?.isOutcomeKnown = false
    }
  }

  /// Played over and over, a file without a single frame would keep a box busy for nothing.
  private func failSilent(_ deck: Deck) {
    guard let slot = facts[deck], slot.failure == nil else { return }
    facts[deck]?.failure = PlaybackError(.corrupt, path: slot.track.path, detail: "it holds no sound")
  }

  private func attach(_ deck: Deck) {
    guard let slot = facts[deck], let decoder = decoder(deck) else { return }
    facts[deck]?.attachedBy = sender.send(
      .attach(deck, decoder.ring, index: slot.originIndex, trackGain: replayGain.gain(of: slot.track)))
    facts[deck]?.stage = .cued
  }

  /// Takes into account how a deck's decoding came to its end, once what is left to be heard is no more than the horizon:
  /// what follows from it then depends on the place in the music alone, and not on how far a worker was ahead.
  /// Answers the error of a track that is heard and will break off; `isStarving` is not one of those.
  func learnOutcome(_ deck: Deck, heard: UInt64, horizon: Frames, isStarving: Bool) -> PlaybackError? {
    guard let slot = facts[deck], let outcome = slot.outcome, !slot.isOutcomeKnown,
      let decoder = decoder(deck)
    else { return nil }
    let isPlaying = slot.stage == .started && !isStarving
    let left =
      switch outcome {
      case .ended(let end): end > heard ? Int64(clamping: end - heard) : 0
      case .failed: Int64(decoder.ring.frames(from: heard))
      }
    let limit =
      switch slot.stage {
      case .started where isPlaying: horizon.count
      case .cued: Self.filled(decoder.ring)
      default: Int64.max
      }
    guard left <= limit else { return nil }
    facts[deck]?.isOutcomeKnown = true
    switch outcome {
    case .ended(let index):
      facts[deck]?.endIndex = index
      if index == slot.originIndex, slot.target == .zero, !slot.wasHeard { failSilent(deck) }
      return nil
    case .failed(let error):
      facts[deck]?.failure = error
      guard isPlaying else { return nil }
      facts[deck]?.endIndex = decoder.seal()
      return error
    }
  }

  /// What a ring holds at least once a decoder has filled it and nothing is read: what was heard before a seek stays in
  /// it for a while.
  private static func filled(_ ring: RingReader) -> Int64 { Int64(ring.capacity / 2) }

  /// Whether a deck's decoder is so far ahead that nothing it may yet tell could concern the next `chunk` frames.
  func isAhead(_ deck: Deck, heard: UInt64, horizon: Frames, chunk: Frames) -> Bool {
    guard let slot = facts[deck], slot.outcome == nil, slot.failure == nil, let decoder = decoder(deck) else {
      return true
    }
    switch slot.stage {
    case .opening, .seeking: return false
    case .started: return decoder.ring.frames(from: heard) >= (horizon + chunk).count
    case .cued: return decoder.ring.frames(from: slot.originIndex) >= Self.filled(decoder.ring)
    case .waitingForDeck, .ended, .stopping: return true
    }
  }

  /// A deck's ring ran dry: its decoder has so long to fill it again.
  func expectRefill(_ deck: Deck) { decoder(deck)?.expectRefill() }

  // MARK: What the mixer tells

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

  /// The lead is over and the other deck goes on.
  func noteAdvance() {
    facts[facts.lead]?.stage = .ended
    facts.lead = facts.other
    facts[facts.lead]?.stage = .started
    facts.meeting = .none
    decoder(facts.lead)?.wake()
  }

  /// The mixer has begun a deck that was to wait: its join or fade came before the orders that take it back. What has
  /// begun is of no use any more, and is opened again where it is wanted.
  func noteOvertaken(_ deck: Deck) {
    if isCurrent(deck), facts[deck]?.stage == .cued { drop(deck) }
  }

  /// The fade from the lead to the other deck runs.
  func noteFade(_ fade: Fade) {
    facts.lead = facts.other
    facts[facts.lead]?.stage = .started
    facts.meeting = .none
    facts.fade = DeckFacts.RunningFade(fade: fade, pace: .ordered)
    decoder(facts.lead)?.wake()
  }

  /// The fade is over.
  func noteFadeCompleted() {
    facts.fade = nil
    if facts.otherSlot?.stage == .started { facts[facts.other]?.stage = .ended }
  }

  /// The lead waits where its decoder has come to stand, and a plan knows it by that place. Answers the place.
  func noteLanding() -> Frames? {
    guard let slot = facts.leadSlot, slot.stage == .cued else { return nil }
    facts[facts.lead]?.planned = slot.originPosition
    return slot.originPosition
  }

  /// A deck has played its last frame; what is told of it from before it was started does not count.
  func noteEnd(_ deck: Deck) {
    if facts[deck]?.stage == .started, hasMoved(deck) { facts[deck]?.stage = .ended }
  }

  /// A deck that was stopped for a seek is silent.
  func noteSilence(_ deck: Deck, index: UInt64) {
    guard let slot = facts[deck], slot.stage == .stopping else { return }
    facts[deck]?.stage = .seeking
    facts[deck]?.originIndex = index
    facts[deck]?.endIndex = nil
    facts[deck]?.startedBy = nil
    facts[deck]?.outcome = nil
    facts[deck]?.isOutcomeKnown = false
    begin(.seeking, deck, slot.track, at: slot.target)
    decoder(deck)?.seek(to: slot.target, continuingAt: index)
  }

  /// The mixer has let go of a deck's former ring.
  func noteRelease(_ deck: Deck) {
    leaving[place(deck)] = nil
    facts.setLeaving(deck, false)
    if facts[deck]?.stage == .waitingForDeck { attach(deck) }
  }

  /// The mixer has closed the gate by itself, for want of a device; an order to open it may have come after that.
  func noteLoss() { facts.gate = .unknown }

  /// A deck's ring held indexes that cannot be.
  func noteCorruption(_ deck: Deck) {
    guard let slot = facts[deck] else { return }
    facts[deck]?.failure = PlaybackError(
      .decoderBrokeSandbox, path: slot.track.path, detail: "it wrote impossible indexes into its ring")
    // Not another frame of it is read.
    noteEnd(deck)
  }

  /// Drops what failed before it was heard, so that something else can take its place.
  func drop(_ deck: Deck) { carryOut(.retire(deck, ramp: declick)) }
}
