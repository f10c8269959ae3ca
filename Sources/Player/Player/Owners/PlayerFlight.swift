// Feeds the flight recorder with the player's events, mixer reports and ring levels. Control thread only; allocates
// nothing.

import AudioRing
import Flight
import PlaybackModel
import Platform
import RealtimeAudio
import Synchronization

/// Records events, reports and the fill levels of the rings.
final class PlayerFlight {
  /// The recorder; nil: no recording.
  var recorder: FlightRecorder? {
    didSet {
      decks.decoders.flight = recorder
      decks.sender.flight = recorder
    }
  }
  private let scheduler: any Scheduler
  private let link: AudioLink
  private let decks: Decks
  private let rate: SampleRate
  /// Time of the last record of ring levels, in nanoseconds.
  private var ringsRecorded: UInt64 = 0

  init(_ scheduler: any Scheduler, link: AudioLink, decks: Decks, rate: SampleRate) {
    self.scheduler = scheduler
    self.link = link
    self.decks = decks
    self.rate = rate
  }

  /// Minimum age in nanoseconds of the last record of ring levels before the next report causes another one.
  private static var ringsAge: UInt64 { 4_000_000_000 }

  /// Records an event and the state machine's verdict.
  func record(
    _ event: PlayerEvent, from before: PlayerState, to after: PlayerState, _ verdict: Verdict,
    at moment: Moment
  ) {
    guard let recorder else { return }
    recorder.note(
      event, from: before.kind, to: after.kind, verdict, position: rate.seconds(moment.current), rate: rate)
    switch event.kind {
    case .didStarve, .didRefill, .didAdvance, .crossfadeBegan, .didReachEnd, .didFail: recordRings()
    default: if before.isActive || after.isActive { recordRingsIfOld() }
    }
  }

  /// Records a report of the audio thread. `isActive`: whether music is playing or about to play.
  func record(_ report: AudioReport, isActive: Bool) {
    guard let recorder else { return }
    switch report {
    case .mixer(let stamped): record(stamped, recorder)
    case .underrun, .deviceLost:
      let isLost = if case .deviceLost = report { true } else { false }
      let queued = rate.seconds(Frames(Int64(link.counters.queued.load(ordering: .relaxed)))).value
      recorder.noteFault(
        isLost: isLost, late: link.counters.takeLateness(),
        unasked: UInt64(max(0, link.counters.unasked.load(ordering: .relaxed))),
        queued: UInt64(max(0, queued) * 1e9))
      recordRings()
    case .deviceRestored: recorder.noteRestored()
    case .wentShallow: recorder.noteShallow()
    case .ringLow: recordRings()
    case .limitReached: break
    }
    if isActive { recordRingsIfOld() }
  }

  private func record(_ stamped: StampedEvent, _ recorder: FlightRecorder) {
    let news: MixerNews
    var deck: Deck?
    switch stamped.event {
    // `CommandSender` records it together with the latency.
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
    case .announcement(_, .began): news = .announcementBegan
    case .announcement(_, .starved): news = .announcementStarved
    case .announcement(_, .ended): news = .announcementEnded
    case .announcement(_, .corrupt): news = .announcementCorrupt
    case .liveInput(_, .began): news = .liveInputBegan
    case .liveInput(_, .starved): news = .liveInputStarved
    case .liveInput(_, .ended): news = .liveInputEnded
    case .liveInput(_, .corrupt): news = .liveInputCorrupt
    case .announcement(_, .refilled), .announcement(_, .released): return
    case .liveInput(_, .refilled), .liveInput(_, .released): return
    }
    recorder.note(news, deck, frame: rate.seconds(stamped.positions.frame))
  }

  /// Records how far the decoders are ahead, unless that was done within the last seconds.
  func recordRingsIfOld() {
    guard recorder != nil, scheduler.now &- ringsRecorded >= Self.ringsAge else { return }
    recordRings()
  }

  private func recordRings() {
    guard let recorder else { return }
    ringsRecorded = scheduler.now
    let positions = link.reading().positions
    func ahead(_ deck: Deck) -> Seconds? {
      guard decks.isCurrent(deck), let decoder = decks.decoders[deck] else { return nil }
      return rate.seconds(Frames(Int64(decoder.ring.frames(from: positions.index(deck)))))
    }
    func storage(_ deck: Deck) -> UInt64? {
      decks.decoders[deck]?.ring.storageWaits.take(now: scheduler.now)
    }
    recorder.noteRings(
      ahead(.a), ahead(.b), storage: (storage(.a), storage(.b)), late: link.counters.takeLateness())
  }
}
