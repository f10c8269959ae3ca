// The queue as the player uses it: which entry is current, and what it offers when the machine asks. Control thread
// only.

import PlaybackModel

/// The queue, and its answer to the machine's latest order.
final class PlayerQueue {
  /// What is played.
  var queue: PlayQueue { didSet { onChange() } }
  /// Called after each change, while the caller is still at it.
  var onChange: () -> Void = {}
  /// What the queue has answered to the machine's order, until its turn comes or a person asks for something else.
  private var answer: PlayerEvent?
  /// A state that holds no removed track, or was told of it: there is nothing to look for until queue or state change.
  private var lastChecked: Check?
  /// When a removed track last gave way to the next one or to silence, in nanoseconds of the engine's clock.
  var removedAt: UInt64 = 0
  /// Where a person's previous leads from the first track.
  var beforeFirst = BeforeFirst.restart
  /// What is played in a silent station's place; nil where nothing is.
  var fallback: Fallback?

  /// A list in place of a station, which stays the queue's current track.
  struct Fallback {
    var list: PlayQueue
    let station: Track
    /// Where the station goes on, which matters to one that has an end.
    let position: Frames
    /// Whether the state knows of it.
    var hasBegun = false
  }

  init(_ queue: PlayQueue) { self.queue = queue }

  // MARK: Answers

  /// Whether an answer waits.
  var hasAnswer: Bool { answer != nil }

  /// The answer that waits; it waits no more.
  func takeAnswer() -> PlayerEvent? {
    defer { answer = nil }
    return answer
  }

  /// Drops the answer: what a person asks for now takes the place of what the queue had to offer.
  func dropAnswer() { answer = nil }

  /// A person asked for a track that cannot be used: the next one is the answer if the queue may advance, or else it stays with
  /// `current`.
  func skip(past track: Track, stayingWith current: Track?, mayAdvance: Bool = true) {
    // The station is not back after all.
    if fallback != nil, !track.isFallback { return }
    markFailed(track)
    if mayAdvance, let next = pass() {
      answer = .skip(to: next)
    } else if let current {
      select(current)
    }
  }

  /// A track, or none, failed for good: the next one is the answer, if there is one.
  func moveOn(from track: Track?) {
    if let track { markFailed(track) }
    if let next = pass() { answer = .queueMovedOn(to: next) }
  }

  /// Passes a track over, and says whether there is another one.
  func hasNext(behind track: Track?) -> Bool {
    if let track { markFailed(track) }
    return (fallback?.list ?? queue).peekFirst != nil
  }

  // MARK: Entries

  /// Passes a track over from now on.
  func markFailed(_ track: Track) {
    if track.isFallback { fallback?.list.markFailed(track.id) } else { queue.markFailed(track.id) }
  }

  /// Moves to the next track because one has ended; it is returned. Nil at the end.
  func advance() -> Track? { fallback == nil ? queue.advance() : fallback?.list.advance() }

  /// Moves past a track that cannot be played, to the one that is returned; nil at the end.
  private func pass() -> Track? { fallback == nil ? queue.pass() : fallback?.list.pass() }

  /// The track that follows by itself; nil at the end.
  var peekNext: Track? { (fallback?.list ?? queue).peekNext }

  /// Moves to a track, if the queue holds it.
  func select(_ track: Track) {
    if track.isFallback {
      if fallback?.list.current?.id != track.id { _ = try? fallback?.list.select(track.id) }
      return
    }
    guard queue.current?.id != track.id else { return }
    _ = try? queue.select(track.id)
  }

  // MARK: Removed tracks

  /// A queue's revision, and the tracks of a state.
  private struct Check: Equatable {
    let revision: UInt64
    let kind: PlayerState.Kind
    let current: UInt64?
    let next: UInt64?
  }

  /// The track in the state that the queue no longer holds and that is to give way; nil where there is none.
  func removedTrack(in state: PlayerState) -> Track? {
    let check = self.check(state)
    guard check != lastChecked else { return nil }
    // What an emptied queue has ended with stays over.
    guard state.kind != .finished || !queue.isEmpty else { return nil }
    let found = state.tracksThatGiveWay.first { isRemoved($0) }
    if found == nil { lastChecked = check }
    return found
  }

  private func check(_ state: PlayerState) -> Check {
    Check(
      revision: queue.revision, kind: state.kind, current: state.currentTrack?.id, next: state.nextTrack?.id)
  }

  /// A stand-in for a station goes with the station.
  private func isRemoved(_ track: Track) -> Bool {
    let id = track.isFallback ? fallback?.station.id : track.id
    return id.map { queue.hasRemoved($0) } ?? false
  }

  /// The event that puts the queue's next track in the place of one that was removed; nil where the state holds none.
  func removal(in state: PlayerState) -> PlayerEvent? {
    guard let track = removedTrack(in: state) else { return nil }
    lastChecked = check(state)
    // Nothing takes the place of what falls silent.
    guard state.kind != .fadingOut else { return .removed(track, next: nil) }
    if let station = fallback?.station, queue.hasRemoved(station.id) { fallback = nil }
    // The outgoing track of a held fade leaves the incoming one behind.
    if let incoming = state.nextTrack, state.kind == .crossfadePaused, incoming.id != track.id {
      return .removed(track, next: incoming)
    }
    // A press before the fade of a removal began: the queue is at its next track already. Behind an end, the press itself plays.
    if state.kind != .finished, let current = queue.playableCurrent { return .removed(track, next: current) }
    guard let next = queue.peekFirst else { return .removed(track, next: nil) }
    // What is only cued becomes the current one when it is played.
    return .removed(track, next: state.isCued ? next : queue.pass())
  }

  /// The event that cues the queue's first track in place of the one that was first before; nil where it still is, or
  /// the cued track is not at its beginning, was picked by a person, or was taken up.
  func recue(in state: PlayerState) -> PlayerEvent? {
    guard fallback == nil, queue.current == nil, let cued = state.currentTrack, state.isAtItsBeginning
    else { return nil }
    guard let first = queue.peekFirst else { return .load(nil, at: .zero) }
    return first.id == cued.id ? nil : .load(first, at: .zero)
  }
}

extension PlayerState {
  fileprivate var isAtItsBeginning: Bool {
    switch self {
    case .preparing(_, _, let position), .ready(_, let position): position == .zero
    default: false
    }
  }

  /// Whether its track waits to be started for the first time.
  fileprivate var isCued: Bool {
    switch self {
    case .ready, .finished, .preparing(_, .cue, _), .seeking(_, _, .cue), .failed(_, _, _, .cue): true
    default: false
    }
  }

  /// The tracks that may not be heard any more once they are removed from the queue: all but those that are on their way
  /// out already, and but for the next one of an automatic fade, which follows the queue by itself.
  fileprivate var tracksThatGiveWay: [Track] {
    switch self {
    case .idle: []
    case .preparing(let track, _, _), .ready(let track, _), .playing(let track), .paused(let track, _, _),
      .buffering(let track, _), .seeking(let track, _, _), .fadingOut(let track, _), .finished(let track):
      [track]
    case .preparingCrossfade(let current, let next, let plan): [plan.trigger == .manual ? next : current]
    case .crossfading(_, let to, _, _, _): [to]
    case .crossfadePaused(let from, let to, _, _, _): [to, from]
    case .failed(_, let track, _, _): track.map { [$0] } ?? []
    }
  }
}
