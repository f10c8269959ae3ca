// How a queue moves on: by itself at the end of a track, or because a person goes forward, back, or picks an entry.
// Pure; control thread.

/// Where next or previous leads.
package enum QueueMove: Hashable, Sendable {
  /// To this track: `skip(to:)`.
  case skip(Track)
  /// To the beginning of the current track: `seek(0)`.
  case restart
  /// Past an end: `skip(to: nil)`.
  case stop
}

extension PlayQueue {
  /// From this position on, previous restarts the track instead of leaving it.
  package static let restartThreshold = Seconds(3)

  /// Makes an entry the current one, as when a person picks it or it was heard. Its failure is forgotten.
  /// In a shuffle it is taken out of those still to be played.
  @discardableResult
  package mutating func select(_ id: UInt64) throws(QueueError) -> Track {
    guard let index = index(of: id), let chosen = place(of: index) else { throw .noSuchEntry(id) }
    entries[index].hasFailed = false
    if isShuffled, chosen > following {
      revision += 1
      order.remove(at: chosen)
      order.insert(index, at: following)
      place = following
    } else {
      place = chosen
    }
    isOnEntry = true
    return entries[index].track
  }

  /// What a person's play begins with where nothing is loaded: the current track, or the next one that can be played; past
  /// the end the first. Where all have failed, the first gets another chance. Nil only for an empty queue.
  package mutating func begin() -> Track? {
    guard let first = order.first else { return nil }
    if firstPlayable(from: 0) == nil { return current ?? (try? select(entries[first].track.id)) }
    return current ?? step(wraps: true)
  }

  /// The first entry in the order of playing that satisfies a condition, behind a track, and from the beginning of the order on
  /// if none does there. Failed entries count, too.
  package func firstAfter(_ track: Track, where isWanted: (Track) -> Bool) -> Track? {
    guard !order.isEmpty else { return nil }
    let here = index(of: track.id).flatMap { place(of: $0) }
    let first = here.map { $0 + 1 } ?? 0
    for step in 0..<order.count {
      let found = entries[order[(first + step) % order.count]].track
      if isWanted(found) { return found }
    }
    return nil
  }

  /// The track that `advance` will make current, for preparing it ahead; nil at the end.
  package var peekNext: Track? {
    var copy = self
    return copy.advance()
  }

  /// The current track; nil where none is current or the current one has failed.
  package var playableCurrent: Track? {
    isOnEntry && !entries[order[place]].hasFailed ? entries[order[place]].track : nil
  }

  /// The track that `pass` would make current: what playing begins with where none is. Nil at the end.
  package var peekFirst: Track? {
    var copy = self
    return copy.pass()
  }

  /// Moves on by itself when a track has ended: to the same one with repeat one, otherwise to the next
  /// that has not failed. Nil at the end, where the end-of-queue policy is applied, and at the stop point, which is behind it then.
  package mutating func advance() -> Track? {
    guard stopPoint == .track else {
      let next = pass()
      if next == nil { stopPoint = nil }
      return next
    }
    stopPoint = nil
    // What would have followed is what the next play begins with.
    if !repeats, step() != nil { isOnEntry = false }
    return nil
  }

  /// Moves on because the current track cannot be played, or none is current: to the next that has not failed. No track has ended,
  /// so a stop point behind this one is still ahead. Nil at the end.
  package mutating func pass() -> Track? { repeats ? current : step() }

  /// A person's next. Repeat one is left behind, and past the last track it stops.
  package mutating func next() -> QueueMove { step().map { .skip($0) } ?? .stop }

  /// A person's previous: restarts the track from 3 s on.
  /// - Parameters:
  ///   - position: Where the current track is.
  ///   - beforeFirst: Where it leads from the first track.
  package mutating func previous(at position: Seconds, beforeFirst: BeforeFirst = .restart) -> QueueMove {
    if isOnEntry, !(position < Self.restartThreshold) { return .restart }
    guard
      let found = lastPlayable(before: place)
        ?? (wraps && !isShuffled ? lastPlayable(before: order.count) : nil)
    else {
      guard beforeFirst == .restart else { return .stop }
      if isOnEntry { return .restart }
      return step(wraps: false).map { .skip($0) } ?? .stop
    }
    place = found
    isOnEntry = true
    return .skip(entries[order[found]].track)
  }

  /// Whether the current track follows itself.
  private var repeats: Bool {
    repeatMode == .one && stopPoint != .queue && isOnEntry && !entries[order[place]].hasFailed
  }

  /// Whether the first track follows the last.
  private var wraps: Bool { (repeatMode == .all || endOfQueue == .repeat) && stopPoint != .queue }

  /// To the next track that can be played.
  private mutating func step() -> Track? { step(wraps: wraps) }

  private mutating func step(wraps: Bool) -> Track? {
    if let found = firstPlayable(from: following) {
      place = found
      isOnEntry = true
      return current
    }
    guard wraps, firstPlayable(from: 0) != nil else {
      if endOfQueue == .stopAndClear { clear() }
      return nil
    }
    if isShuffled {
      // A new round, in which the track just heard does not come first.
      revision += 1
      let last = isOnEntry ? order[place] : nil
      shuffleOrder(from: 0)
      if let last, order.count > 1, let first = firstPlayable(from: 0), order[first] == last,
        let second = firstPlayable(from: first + 1)
      {
        order.swapAt(first, second)
      }
    }
    guard let found = firstPlayable(from: 0) else { return nil }
    place = found
    isOnEntry = true
    return current
  }

  private func firstPlayable(from start: Int) -> Int? {
    var i = start
    while i < order.count {
      if !entries[order[i]].hasFailed { return i }
      i += 1
    }
    return nil
  }

  private func lastPlayable(before end: Int) -> Int? {
    var i = end - 1
    while i >= 0 {
      if !entries[order[i]].hasFailed { return i }
      i -= 1
    }
    return nil
  }
}
