// The queue as the player uses it: the current entry, fallback lists, removed tracks, and answers to the state
// machine's requests. Control thread only.

import PlaybackModel

/// The queue, and its pending answer to the state machine's latest request.
final class PlayerQueue {
  /// The tracks and their order.
  var queue: PlayQueue { didSet { onChange() } }
  /// Called synchronously after each change.
  var onChange: () -> Void = {}
  /// The event that answers the state machine's request, until it is processed or the user requests something else.
  private var answer: PlayerEvent?
  /// The last state and revision without an unhandled removed track; no new search is needed until either changes.
  private var lastChecked: Check?
  /// When a removed track was last replaced by the next one or by silence, in nanoseconds of the engine's clock.
  var removedAt: UInt64 = 0
  /// Where the user's `previous` leads from the first track.
  var beforeFirst = BeforeFirst.restart
  /// The list that replaces a silent station; nil if none plays.
  var fallback: Fallback?

  /// A list that plays in place of a station. The station stays the queue's current track.
  struct Fallback {
    var list: PlayQueue
    let station: Track
    /// Where the station continues; relevant for a stream of finite length.
    let position: Frames
    /// Whether the state machine has switched to the list.
    var hasBegun = false
  }

  init(_ queue: PlayQueue) { self.queue = queue }

  // MARK: Answers

  /// Whether an answer is pending.
  var hasAnswer: Bool { answer != nil }

  /// Removes and returns the pending answer.
  func takeAnswer() -> PlayerEvent? {
    defer { answer = nil }
    return answer
  }

  /// Drops the pending answer because a new request of the user supersedes it.
  func dropAnswer() { answer = nil }

  /// Handles a user's skip to an unusable track: the answer is the next track if the queue may advance; otherwise the
  /// queue returns to `current`.
  func skip(past track: Track, stayingWith current: Track?, mayAdvance: Bool = true) {
    // The return from the fallback to the station has failed; the fallback continues.
    if fallback != nil, !track.isFallback { return }
    // The queue was replaced by one stream: the outgoing track gives way to it, and its failure is retried.
    if track.path.isURI, isAlone(track), current.map({ isRemoved($0) }) ?? false { return }
    markFailed(track)
    if mayAdvance, let next = pass() {
      answer = .skip(to: next)
    } else if let current {
      select(current)
    }
  }

  /// Marks a permanently failed track and answers with the next track, if there is one.
  func moveOn(from track: Track?) {
    if let track { markFailed(track) }
    if let next = pass() { answer = .queueMovedOn(to: next) }
  }

  /// Marks a track as failed. Returns whether another track is available.
  func hasNext(behind track: Track?) -> Bool {
    if let track { markFailed(track) }
    return (fallback?.list ?? queue).peekFirst != nil
  }

  /// Whether a track is the current or cued one, and no other track would play after its failure.
  func isAlone(_ track: Track) -> Bool {
    guard !track.isFallback, (queue.current ?? queue.peekFirst)?.id == track.id else { return false }
    var rest = queue
    rest.markFailed(track.id)
    return rest.pass().map { $0.id == track.id } ?? true
  }

  // MARK: Entries

  /// Marks a track, which is skipped until its mark is cleared.
  func markFailed(_ track: Track) {
    if track.isFallback { fallback?.list.markFailed(track.id) } else { queue.markFailed(track.id) }
  }

  /// Moves to the next track after one has ended. Returns it; nil at the end.
  func advance() -> Track? { fallback == nil ? queue.advance() : fallback?.list.advance() }

  /// Moves past an unplayable track. Returns the next one; nil at the end.
  private func pass() -> Track? { fallback == nil ? queue.pass() : fallback?.list.pass() }

  /// The next track without advancing; nil at the end.
  var peekNext: Track? { (fallback?.list ?? queue).peekNext }

  /// Makes a track current if the queue holds it.
  func select(_ track: Track) {
    if track.isFallback {
      if fallback?.list.current?.id != track.id { _ = try? fallback?.list.select(track.id) }
      return
    }
    guard queue.current?.id != track.id else { return }
    _ = try? queue.select(track.id)
  }

  // MARK: Removed tracks

  /// The queue's revision and the tracks of a state, as compared by the search for removed tracks.
  private struct Check: Equatable {
    let revision: UInt64
    let kind: PlayerState.Kind
    let current: UInt64?
    let next: UInt64?
  }

  /// The first track of a state that was removed from the queue and must be replaced; nil if there is none.
  func removedTrack(in state: PlayerState) -> Track? {
    let check = self.check(state)
    guard check != lastChecked else { return nil }
    // An emptied queue does not replace a finished track.
    guard state.kind != .finished || !queue.isEmpty else { return nil }
    let found = state.tracksThatGiveWay.first { isRemoved($0) }
    if found == nil { lastChecked = check }
    return found
  }

  private func check(_ state: PlayerState) -> Check {
    Check(
      revision: queue.revision, kind: state.kind, current: state.currentTrack?.id, next: state.nextTrack?.id)
  }

  /// A fallback track counts as removed when its station is removed.
  private func isRemoved(_ track: Track) -> Bool {
    let id = track.isFallback ? fallback?.station.id : track.id
    return id.map { queue.hasRemoved($0) } ?? false
  }

  /// The event that replaces a removed track by the queue's next one; nil if the state holds no removed track.
  func removal(in state: PlayerState) -> PlayerEvent? {
    guard let track = removedTrack(in: state) else { return nil }
    lastChecked = check(state)
    // A track that is fading out is not replaced.
    guard state.kind != .fadingOut else { return .removed(track, next: nil) }
    if let station = fallback?.station, queue.hasRemoved(station.id) { fallback = nil }
    // Removing the outgoing track of a held fade leaves the incoming one.
    if let incoming = state.nextTrack, state.kind == .crossfadePaused, incoming.id != track.id {
      return .removed(track, next: incoming)
    }
    // If a command moved the queue before the removal's fade began, its current track is the replacement. After the
    // end of the queue, the command itself plays.
    if state.kind != .finished, let current = queue.playableCurrent { return .removed(track, next: current) }
    guard let next = queue.peekFirst else { return .removed(track, next: nil) }
    // A cued track becomes current only when it is played.
    return .removed(track, next: state.isCued ? next : queue.pass())
  }

  /// The event that cues the queue's new first track in place of the cued one. Nil if the first track is unchanged,
  /// or the cued track is not at its beginning or was selected explicitly.
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

  /// Whether the state's track waits to be started for the first time.
  fileprivate var isCued: Bool {
    switch self {
    case .ready, .finished, .preparing(_, .cue, _), .seeking(_, _, .cue), .failed(_, _, _, .cue): true
    default: false
    }
  }

  /// The tracks of a state that must not play on after their removal from the queue. Excluded: tracks already fading
  /// out, and the next track of an automatic fade, which follows the queue by itself.
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
