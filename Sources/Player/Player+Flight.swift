// What the flight recorder is told of the player and its decks. Control thread only; allocates nothing.

import AudioRing
import Flight
import PlaybackModel
import Platform
import RealtimeAudio
import Synchronization

extension Player {
  /// How old a look at the rings is when whatever happens next brings about another one.
  private static var ringsAge: UInt64 { 4_000_000_000 }

  func connectFlight() {
    decks.flight = flight
    flight?.note(machine.settings)
    flight?.note(volume)
  }

  func record(_ event: PlayerEvent, from before: PlayerState, _ verdict: Verdict, at moment: Moment) {
    guard let flight else { return }
    flight.note(
      event, from: before.kind, to: machine.state.kind, verdict, position: rate.seconds(moment.current),
      rate: rate)
    switch event.kind {
    case .didStarve, .didRefill, .didAdvance, .crossfadeBegan, .didReachEnd, .didFail: recordRings()
    default: if before.isActive || machine.state.isActive { recordRingsIfOld() }
    }
  }

  func record(_ report: AudioReport) {
    guard let flight else { return }
    switch report {
    case .mixer(let stamped): record(stamped, flight)
    case .underrun, .deviceLost:
      let isLost = if case .deviceLost = report { true } else { false }
      let queued = rate.seconds(Frames(Int64(link.counters.queued.load(ordering: .relaxed)))).value
      flight.noteFault(
        isLost: isLost, late: link.counters.takeLateness(),
        unasked: UInt64(max(0, link.counters.unasked.load(ordering: .relaxed))),
        queued: UInt64(max(0, queued) * 1e9))
      recordRings()
    case .deviceRestored: flight.noteRestored()
    case .wentShallow: flight.noteShallow()
    case .limitReached: break
    }
    if machine.state.isActive { recordRingsIfOld() }
  }

  private func record(_ stamped: StampedEvent, _ flight: FlightRecorder) {
    let news: MixerNews
    var deck: Deck?
    switch stamped.event {
    // Told with how long it took.
    case .applied: return
    case .advanced(let new): (news, deck) = (.advanced, new)
    case .crossfadeBegan(let new, _): (news, deck) = (.fadeBegan, new)
    case .crossfadeCompleted(let new): (news, deck) = (.fadeCompleted, new)
    case .deckEnded(let old): (news, deck) = (.ended, old)
    case .starved(let dry): (news, deck) = (.starved, dry)
    case .refilled(let full): (news, deck) = (.refilled, full)
    case .paused: news = .paused
    case .fadeOutCompleted: news = .fadedOut
    case .deckSilent(let stopped, _): (news, deck) = (.silent, stopped)
    case .released(let free): (news, deck) = (.released, free)
    case .ringCorrupt(let broken): (news, deck) = (.corrupt, broken)
    }
    flight.note(news, deck, frame: rate.seconds(stamped.positions.frame))
  }

  /// Records how far ahead the decoders are, unless that was done a moment ago.
  package func recordRingsIfOld() {
    guard flight != nil, scheduler.now &- ringsRecorded >= Self.ringsAge else {
      return
    }
    recordRings()
  }

  private func recordRings() {
    guard let flight else { return }
    ringsRecorded = scheduler.now
    let positions = link.reading().positions
    func ahead(_ deck: Deck) -> Seconds? {
      guard decks.isCurrent(deck), let decoder = decks.decoder(deck) else { return nil }
      return rate.seconds(Frames(Int64(decoder.ring.frames(from: positions.index(deck)))))
    }
    func storage(_ deck: Deck) -> UInt64? { decks.decoder(deck)?.ring.storageWaits.take(now: scheduler.now) }
    flight.noteRings(
      ahead(.a), ahead(.b), storage: (storage(.a), storage(.b)), late: link.counters.takeLateness())
  }
}
