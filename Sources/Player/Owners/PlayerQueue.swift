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
  /// A track that was taken up although the queue does not hold it: somebody had removed it while it was heard.
  private var outsider: UInt64?
  /// What is played in a silent station's place; nil where nothing is.
  var interlude: Interlude?

  /// A list in place of a station, which stays the queue's current track.
  struct Interlude {
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
    if interlude != nil, !track.isInterlude { return }
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
    return (interlude?.list ?? queue).peekFirst != nil
  }

  // MARK: Entries

  /// Passes a track over from now on.
  func markFailed(_ track: Track) {
    if track.isInterlude { interlude?.list.markFailed(track.id) } else { queue.markFailed(track.id) }
  }

  /// Moves to the next track because one has ended; it is returned. Nil at the end.
  func advance() -> Track? { interlude == nil ? queue.advance() : interlude?.list.advance() }

  /// Moves past a track that cannot be played, to the one that is returned; nil at the end.
  private func pass() -> Track? { interlude == nil ? queue.pass() : interlude?.list.pass() }

  /// The track that follows by itself; nil at the end.
  var peekNext: Track? { (interlude?.list ?? queue).peekNext }

  /// Moves to a track, if the queue holds it.
  func select(_ track: Track) {
    if track.isInterlude {
      if interlude?.list.current?.id != track.id { _ = try? interlude?.list.select(track.id) }
      return
    }
    guard queue.current?.id != track.id else { return }
    _ = try? queue.select(track.id)
  }

  /// Takes note of what was taken up from before a restart: nothing is cued in its place where the queue does not hold it.
  func stay(with track: Track?) {
    outsider = track.flatMap { queue.track($0.id) == nil ? $0.id : nil }
  }

  /// The event that cues the queue's first track in place of the one that was first before; nil where it still is, or
  /// the cued track is not at its beginning, was picked by a person, or was taken up.
  func recue(in state: PlayerState) -> PlayerEvent? {
    guard interlude == nil, queue.current == nil, let cued = state.currentTrack, cued.id != outsider,
      state.isAtItsBeginning
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
}
