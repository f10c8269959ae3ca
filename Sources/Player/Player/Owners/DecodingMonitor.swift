// How far decoders are ahead of what is heard, and how their decoding ends. Control thread only; never waits.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

/// Watches the decoders of both decks.
///
/// A decoder is seconds ahead of the music, and how far depends on the machine. So its end or failure counts only once
/// the music is near it: what follows then depends on the place in the music alone.
final class DecodingMonitor {
  /// Called when `isRefilled` is worth asking again.
  var onRefillDue: () -> Void = {}
  /// What stations call what is heard.
  let titles: TitleWatch
  /// The deaths of decoders.
  let deaths: DeathWatch
  private let decks: Decks
  private let positions: PositionReader
  private let rate: SampleRate
  private let refillTimer: DeadlineTimer
  /// How often in a row a recording's decoders were not far enough ahead.
  private var looksInVain = 0
  private let scheduler: any Scheduler

  init(_ scheduler: any Scheduler, _ decks: Decks, _ positions: PositionReader, rate: SampleRate) {
    self.scheduler = scheduler
    self.decks = decks
    self.positions = positions
    self.rate = rate
    titles = TitleWatch(scheduler, decks, positions, rate: rate)
    deaths = DeathWatch(scheduler, decks, positions, rate: rate)
    refillTimer = DeadlineTimer(scheduler)
  }

  /// The present time of the scheduler's clock.
  var now: UInt64 { scheduler.now }

  /// Calls nothing any more.
  func end() {
    refillTimer.stop()
    titles.end()
    deaths.end()
  }

  /// How much of the music ahead the end of a decoding is known for. More than a device queues, less than a ring holds.
  private var horizon: Frames { rate.frames(Seconds(1.3)) }

  /// What a ring holds at least once a decoder has filled it and nothing is read: what was heard before a seek stays in
  /// it for a while.
  private static func filled(_ ring: RingReader) -> Int64 { Int64(ring.capacity / 2) }

  // MARK: Outcomes

  /// Learns how a deck's decoding came to an end, where that is near. A decoder that fails while its track is heard
  /// costs what it had not decoded, and no more. A stream that the network breaks off has not come to its end: it goes on where
  /// it ran dry, once it is there again.
  ///
  /// - Returns: The error of a track that is heard and breaks off; nil otherwise.
  func learnOutcome(_ deck: Deck, in state: PlayerState) -> PlaybackError? {
    guard let slot = decks.facts[deck], let outcome = slot.outcome, !slot.isOutcomeKnown,
      !isAboutToStart(deck, slot, state), let decoder = decks.decoders[deck]
    else { return nil }
    let isStarving = state.kind == .buffering && deck == decks.facts.lead
    let isPlaying = slot.stage == .started && !isStarving
    if isPlaying, Self.isBrokenOff(slot, decoder.ring) { return nil }
    let heard =
      decks.isCurrent(deck) && slot.stage == .started ? positions.index(deck) : slot.originIndex
    let limit =
      switch slot.stage {
      // It has been decided by then that the track ends there.
      case _ where slot.life.lossError != nil: Int64.max
      case .started where isPlaying: horizon.count
      case .cued: Self.filled(decoder.ring)
      default: Int64.max
      }
    guard Self.left(of: outcome, decoder.ring, from: heard) <= limit else { return nil }
    return decks.acceptOutcome(deck, isPlaying: isPlaying)
  }

  /// Whether the network has failed before the track's last frame.
  private static func isBrokenOff(_ slot: DeckSlot, _ ring: RingReader) -> Bool {
    guard case .failed(let error) = slot.outcome else { return false }
    return error.kind == .network && !slot.isWhole(in: ring)
  }

  /// Whether the lead is a stream that the network has broken off, with less than `chunk` still to be heard.
  func isBrokenOff(within chunk: Frames) -> Bool {
    guard let slot = decks.facts.leadSlot, slot.stage == .started,
      let decoder = decks.decoders[decks.facts.lead]
    else { return false }
    return Self.isBrokenOff(slot, decoder.ring)
      && decoder.ring.frames(from: positions.index(decks.facts.lead)) < chunk.count
  }

  /// Frames from an index of a ring to where its decoding ends.
  private static func left(of outcome: DeckSlot.Outcome, _ ring: RingReader, from heard: UInt64) -> Int64 {
    switch outcome {
    case .ended(let end): end > heard ? Int64(clamping: end - heard) : 0
    case .failed: Int64(ring.frames(from: heard))
    }
  }

  /// Whether a deck will be heard next, whatever has become of its decoder: what is in the ring is played.
  private func isAboutToStart(_ deck: Deck, _ slot: DeckSlot, _ state: PlayerState) -> Bool {
    guard deck == decks.facts.lead, slot.stage == .cued else { return false }
    switch state {
    case .preparing(_, let intent, _), .seeking(_, _, let intent): return intent.isPlay
    case .playing: return true
    default: return false
    }
  }

  /// Seconds until the end of the lead's decoding is near enough to be learnt; nil where none is known.
  func timeUntilOutcome(in state: PlayerState) -> Double? {
    guard let slot = decks.facts.leadSlot, slot.stage == .started, !slot.isOutcomeKnown,
      let outcome = slot.outcome, let decoder = decks.decoders[decks.facts.lead],
      !Self.isBrokenOff(slot, decoder.ring)
    else { return nil }
    let heard = positions.index(decks.facts.lead)
    let left = Self.left(of: outcome, decoder.ring, from: heard)
    // The reading may be of the last turn; what it is behind is the difference of the two positions.
    let behind = positions.position(in: state) - slot.position(of: heard)
    return rate.seconds(Frames(left) - horizon - behind).value
  }

  // MARK: How far ahead

  /// How far the lead's track has been decoded, in frames of that track: this much is played whatever becomes of its
  /// file. Nil before it is on its deck.
  var bufferedPosition: Frames? {
    guard let slot = decks.facts.leadSlot, slot.isAttached, let decoder = decks.decoders[decks.facts.lead]
    else { return nil }
    let here = positions.index(decks.facts.lead)
    let ahead = decoder.ring.frames(from: here)
    let position = slot.position(of: here) + Frames(Int64(ahead))
    return slot.endIndex.map { min(slot.position(of: $0), position) } ?? position
  }

  /// Whether nothing that a decoder may yet report could concern the next `chunk` frames.
  func isSettled(for chunk: Frames) -> Bool {
    guard Deck.allCases.allSatisfy({ isAhead($0, by: chunk) }) else { return false }
    looksInVain = 0
    return true
  }

  /// Wakes the decoders of a recording that waits for them: they pace themselves by the clock, it does not, and it has
  /// no underruns by which one that never delivers would be found out. Most deliver before the next look. One that does not is
  /// timed from the sixteenth on, and woken again.
  func await(_ chunk: Frames) {
    looksInVain += 1
    if looksInVain == 1 { decks.decoders.wake() }
    guard looksInVain.isMultiple(of: 16) else { return }
    decks.decoders.wake()
    for deck in Deck.allCases where decks.facts[deck]?.isAttached == true {
      if !isAhead(deck, by: chunk) { expectRefill(deck) }
    }
  }

  private func isAhead(_ deck: Deck, by chunk: Frames) -> Bool {
    guard let slot = decks.facts[deck], slot.outcome == nil, slot.failure == nil,
      let decoder = decks.decoders[deck]
    else { return true }
    switch slot.stage {
    case .opening, .seeking: return false
    case .started: return decoder.ring.frames(from: positions.index(deck)) >= (horizon + chunk).count
    case .cued: return decoder.ring.frames(from: slot.originIndex) >= Self.filled(decoder.ring)
    case .waitingForDeck, .ended, .stopping: return true
    }
  }

  // MARK: Dry rings

  /// A deck's ring ran dry: its decoder has a few seconds to fill it again.
  func expectRefill(_ deck: Deck) { decks.decoders[deck]?.expectRefill() }

  /// A deck's ring, which was full, is running low: its decoder has a moment to write something.
  func expectProgress(_ deck: Deck) { decks.decoders[deck]?.expectProgress() }

  /// Whether the lead's ring, which ran dry, is filled again. While nothing is to be heard the mixer does not notice;
  /// where it is still dry, `onRefillDue` asks for another look soon.
  func isRefilled(_ lead: DeckSlot) -> Bool {
    guard lead.stage == .started, let decoder = decks.decoders[decks.facts.lead] else { return false }
    let index = positions.index(decks.facts.lead)
    guard !decoder.ring.holds(Int(rate.frames(Seconds(0.25)).count), from: index) else { return true }
    if !refillTimer.isRunning {
      refillTimer.start(after: 100_000_000) { [unowned(unsafe) self] in onRefillDue() }
    }
    return false
  }
}
