// What follows the current track: which one, how it is joined, and when it has to be opened. Control thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// Plans the track after the current one.
final class SuccessionPlanner {
  /// Whether tracks of one album fade into each other, too, instead of being joined.
  var fadesAlbums = false
  /// Called when something has become due by time alone.
  var onDue: () -> Void = {}
  private let decks: Decks
  private let queue: PlayerQueue
  private let positions: PositionReader
  private let decoding: DecodingMonitor
  private let timer: DeadlineTimer
  /// Until then no next track is opened: too many in a row were of no use.
  private var heldUntil: UInt64 = 0

  init(
    _ scheduler: any Scheduler, _ decks: Decks, _ queue: PlayerQueue, _ positions: PositionReader,
    _ decoding: DecodingMonitor
  ) {
    self.decks = decks
    self.queue = queue
    self.positions = positions
    self.decoding = decoding
    timer = DeadlineTimer(scheduler)
  }

  /// Calls nothing any more.
  func end() { timer.stop() }

  /// Opens no next track for so many nanoseconds.
  func hold(for nanoseconds: UInt64) { heldUntil = decoding.now &+ nanoseconds }

  /// Seconds until a next track may be opened.
  private var holdLeft: Double { heldUntil > decoding.now ? Double(heldUntil - decoding.now) / 1e9 : 0 }

  /// How long before it is due the next track is opened.
  private static var lead: Seconds { Seconds(10) }

  /// What queue and settings want after the current track; nil as long as nothing has to be prepared for it.
  func wanted(in state: PlayerState, _ settings: PlayerSettings) -> Succession? {
    switch state {
    case .playing, .paused, .buffering, .seeking: break
    case .preparingCrossfade(_, _, let plan): if plan.trigger == .manual { return nil }
    case .fadingOut: if decks.facts.fade != nil { return nil }
    default: return nil
    }
    guard let current = decks.facts.leadSlot, let wanted = queue.peekNext else { return nil }
    guard let next = decks.facts.otherSlot, next.fits(.fresh(wanted, at: .zero)) else {
      return holdLeft == 0 && timeUntilDue(current, state, settings).map { $0 <= 0 } == true
        ? Succession(wanted, .undecided) : nil
    }
    guard next.stage == .cued, next.failure == nil else { return Succession(wanted, .undecided) }
    // Where its ring ends a dead decoder's track fails: nothing is joined to it there.
    guard !current.isLost else { return Succession(wanted, .undecided) }
    return Succession(
      of: current.measuredTrack, to: next.measuredTrack, at: next.target, knowsEnd: current.knownEnd != nil,
      fadesAlbums: fadesAlbums, settings: settings)
  }

  /// The event that brings the state in line with what queue and settings want after the current track; nil where it is.
  func due(in state: PlayerState, _ settings: PlayerSettings) -> PlayerEvent? {
    guard let wanted = wanted(in: state, settings), case .faded(let fade) = wanted.join else {
      return state.kind == .preparingCrossfade ? .nextWithdrawn : nil
    }
    if case .preparingCrossfade(_, let next, let plan) = state, next.id == wanted.next.id, plan.fade == fade {
      return nil
    }
    return .nextDue(wanted.next, fade: fade)
  }

  /// Seconds until the next track has to be opened; nil while that is not known. Without a length the decoder finds the
  /// end, seconds before it is heard.
  private func timeUntilDue(_ slot: DeckSlot, _ state: PlayerState, _ settings: PlayerSettings) -> Double? {
    guard let length = slot.length else { return nil }
    switch slot.stage {
    case .cued, .started, .ended: break
    case .opening, .waitingForDeck, .stopping, .seeking: return nil
    }
    let lead = Self.lead.value + settings.automaticFadeLength.value
    return settings.rate.seconds(length - positions.position(in: state)).value - lead
  }

  /// Calls `onDue` when the next track has to be opened, or the end of a decoding is near enough to be learnt.
  func plan(_ state: PlayerState, _ settings: PlayerSettings) {
    guard state.isActive, let current = decks.facts.leadSlot else { return timer.stop() }
    var wait = decoding.timeUntilOutcome(in: state).map { max($0, 0) }
    if state.opensNextByItself, decks.facts.otherSlot == nil, queue.peekNext != nil,
      let due = timeUntilDue(current, state, settings).map({ max($0, holdLeft) }), due > 0
    {
      wait = min(wait ?? due, due)
    }
    guard let wait else { return timer.stop() }
    timer.start(after: UInt64(wait * 1e9) + 1_000_000) { [unowned(unsafe) self] in onDue() }
  }
}

extension PlayerState {
  /// Whether time alone makes the next track due.
  fileprivate var opensNextByItself: Bool {
    switch kind {
    case .playing, .fadingOut: true
    default: false
    }
  }
}
