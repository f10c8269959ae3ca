// Monitors how far decoders are ahead of the audible position, and when the end of their decoding takes effect.
// Control thread only; never blocks.

import AudioRing
import PlaybackModel
import Platform
import RealtimeAudio

/// Monitors the decoders of both decks.
///
/// Decoders run seconds ahead of the music, by an amount that depends on the machine. Their end or failure takes
/// effect only when the audible position is near it, so that the player's behaviour depends on the music alone.
final class DecodingMonitor {
  /// Called when `isRefilled` should be evaluated again.
  var onRefillDue: () -> Void = {}
  /// Detects when a station's title becomes audible.
  let titles: TitleWatch
  /// Detects deaths of decoders.
  let deaths: DeathWatch
  private let decks: Decks
  private let positions: PositionReader
  private let rate: SampleRate
  private let refillTimer: DeadlineTimer
  /// Number of consecutive checks in which a recording's decoders were not far enough ahead.
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

  /// The scheduler's present time in nanoseconds.
  var now: UInt64 { scheduler.now }

  /// Cancels all timers and callbacks.
  func end() {
    refillTimer.stop()
    titles.end()
    deaths.end()
  }

  /// How far ahead of the audible position the end of decoding is looked for. More than a device queues, less than a
  /// ring holds.
  private var horizon: Frames { rate.frames(Seconds(1.3)) }

  /// The minimum fill of a full ring that is not being read. Frames heard before a seek occupy part of it for a
  /// while.
  private static func filled(_ ring: RingReader) -> Int64 { Int64(ring.capacity / 2) }

  // MARK: Outcomes

  /// Acts on the end of a deck's decoding once it is near the audible position.
  ///
  /// A decoder that fails during playback costs only the undecoded rest. A stream broken off by the network has not
  /// ended: it resumes where it ran dry once the connection is back.
  ///
  /// - Parameters:
  ///   - deck: The deck.
  ///   - state: The player's state.
  /// - Returns: The error of an audible track that ends early; nil otherwise.
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
      // The decision to end the track here has already been made.
      case _ where slot.life.lossError != nil: Int64.max
      case .started where isPlaying: horizon.count
      case .cued: Self.filled(decoder.ring)
      default: Int64.max
      }
    guard Self.left(of: outcome, decoder.ring, from: heard) <= limit else { return nil }
    return decks.acceptOutcome(deck, isPlaying: isPlaying)
  }

  /// Whether the network failed before the track's last frame.
  private static func isBrokenOff(_ slot: DeckSlot, _ ring: RingReader) -> Bool {
    guard case .failed(let error) = slot.outcome else { return false }
    return error.kind == .network && !slot.isWhole(in: ring)
  }

  /// Whether the lead is a stream broken off by the network, with less than `chunk` frames left.
  func isBrokenOff(within chunk: Frames) -> Bool {
    guard let slot = decks.facts.leadSlot, slot.stage == .started,
      let decoder = decks.decoders[decks.facts.lead]
    else { return false }
    return Self.isBrokenOff(slot, decoder.ring)
      && decoder.ring.frames(from: positions.index(decks.facts.lead)) < chunk.count
  }

  /// Frames from a ring index to the end of decoding.
  private static func left(of outcome: DeckSlot.Outcome, _ ring: RingReader, from heard: UInt64) -> Int64 {
    switch outcome {
    case .ended(let end): end > heard ? Int64(clamping: end - heard) : 0
    case .failed: Int64(ring.frames(from: heard))
    }
  }

  /// Whether a deck is about to start. Its ring is played even if its decoder has ended.
  private func isAboutToStart(_ deck: Deck, _ slot: DeckSlot, _ state: PlayerState) -> Bool {
    guard deck == decks.facts.lead, slot.stage == .cued else { return false }
    switch state {
    case .preparing(_, let intent, _), .seeking(_, _, let intent): return intent.isPlay
    case .playing: return true
    default: return false
    }
  }

  /// Seconds until the end of the lead's decoding takes effect; nil if no end is known.
  func timeUntilOutcome(in state: PlayerState) -> Double? {
    guard let slot = decks.facts.leadSlot, slot.stage == .started, !slot.isOutcomeKnown,
      let outcome = slot.outcome, let decoder = decks.decoders[decks.facts.lead],
      !Self.isBrokenOff(slot, decoder.ring)
    else { return nil }
    let heard = positions.index(decks.facts.lead)
    let left = Self.left(of: outcome, decoder.ring, from: heard)
    // The published index may be one audio turn old; the extrapolated position is newer by the difference.
    let behind = positions.position(in: state) - slot.position(of: heard)
    return rate.seconds(Frames(left) - horizon - behind).value
  }

  // MARK: Decoded position

  /// The end of the decoded part of the lead's track, in frames of the track; it will be played whatever happens to
  /// the file. Nil before the ring is attached.
  var bufferedPosition: Frames? {
    guard let slot = decks.facts.leadSlot, slot.isAttached, let decoder = decks.decoders[decks.facts.lead]
    else { return nil }
    let here = positions.index(decks.facts.lead)
    let ahead = decoder.ring.frames(from: here)
    let position = slot.position(of: here) + Frames(Int64(ahead))
    return slot.endIndex.map { min(slot.position(of: $0), position) } ?? position
  }

  /// Whether no report that a decoder may still send could affect the next `chunk` frames.
  func isSettled(for chunk: Frames) -> Bool {
    guard Deck.allCases.allSatisfy({ isAhead($0, by: chunk) }) else { return false }
    looksInVain = 0
    return true
  }

  /// Waits for the decoders of a recording, called once per check. A recording has no underruns and no clock by which
  /// decoders could be paced or timed out, so they are woken here, and from the 16th unsuccessful check on their
  /// refill timeout is started.
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

  // MARK: Underruns

  /// A deck's ring ran dry: starts the decoder's refill timeout.
  func expectRefill(_ deck: Deck) { decks.decoders[deck]?.expectRefill() }

  /// A deck's full ring is running low: the decoder must write something within a fraction of a second.
  func expectProgress(_ deck: Deck) { decks.decoders[deck]?.expectProgress() }

  /// Whether the lead's ring is filled again after an underrun. The mixer does not report this while the player is
  /// silent, so if the ring is still dry, `onRefillDue` is scheduled for another check.
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
