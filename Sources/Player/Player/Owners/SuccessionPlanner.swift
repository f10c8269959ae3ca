// Plans the next track: which one follows, whether by gapless join or crossfade, and when it is opened. Control
// thread only.

import PlaybackModel
import Platform
import RealtimeAudio

/// Plans the track after the current one.
final class SuccessionPlanner {
  /// Whether consecutive tracks of an album are crossfaded instead of joined gaplessly.
  var fadesAlbums = false
  /// Called when a deadline of the plan has passed.
  var onDue: () -> Void = {}
  private let decks: Decks
  private let queue: PlayerQueue
  private let positions: PositionReader
  private let decoding: DecodingMonitor
  private let timer: DeadlineTimer
  /// No next track is opened before this time, because too many tracks in a row were unusable. In nanoseconds.
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

  /// Cancels the timer.
  func end() { timer.stop() }

  /// Prevents the opening of a next track for a time in nanoseconds.
  func hold(for nanoseconds: UInt64) { heldUntil = decoding.now &+ nanoseconds }

  /// Remaining seconds of `hold(for:)`.
  private var holdLeft: Double { heldUntil > decoding.now ? Double(heldUntil - decoding.now) / 1e9 : 0 }

  /// How long before it is needed the next track is opened.
  private static var lead: Seconds { Seconds(10) }

  /// The next track and its join according to queue and settings; nil if nothing has to be prepared yet.
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
    // A dead decoder's track fails at the end of its ring, so nothing is joined to it.
    guard !current.isLost else { return Succession(wanted, .undecided) }
    return Succession(
      of: current.measuredTrack, to: next.measuredTrack, at: next.target, knowsEnd: current.knownEnd != nil,
      fadesAlbums: fadesAlbums, settings: settings)
  }

  /// The event that aligns a prepared crossfade with queue and settings; nil if it is up to date.
  func due(in state: PlayerState, _ settings: PlayerSettings) -> PlayerEvent? {
    guard let wanted = wanted(in: state, settings), case .faded(let fade) = wanted.join else {
      return state.kind == .preparingCrossfade ? .nextWithdrawn : nil
    }
    if case .preparingCrossfade(_, let next, let plan) = state, next.id == wanted.next.id, plan.fade == fade {
      return nil
    }
    return .nextDue(wanted.next, fade: fade)
  }

  /// Seconds until the next track must be opened; nil if unknown. For a track of unknown length, the decoder finds
  /// the end only seconds before it is heard.
  private func timeUntilDue(_ slot: DeckSlot, _ state: PlayerState, _ settings: PlayerSettings) -> Double? {
    guard let length = slot.length else { return nil }
    switch slot.stage {
    case .cued, .started, .ended: break
    case .opening, .waitingForDeck, .stopping, .seeking: return nil
    }
    let lead = Self.lead.value + settings.automaticFadeLength.value
    return settings.rate.seconds(length - positions.position(in: state)).value - lead
  }

  /// Schedules `onDue` for the time at which the next track must be opened, or the end of decoding takes effect.
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
  /// Whether the next track becomes due by time, without an event.
  fileprivate var opensNextByItself: Bool {
    switch kind {
    case .playing, .fadingOut: true
    default: false
    }
  }
}
