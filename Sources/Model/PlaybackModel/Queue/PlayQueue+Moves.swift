// How the queue advances: at the end of a track, or when the user selects the next, the previous, or another entry.
// Pure; control thread.

/// Result of a next or previous command.
package enum QueueMove: Hashable, Sendable {
  /// Skip to this track: `skip(to:)`.
  case skip(Track)
  /// Restart the current track: `seek(0)`.
  case restart
  /// Beyond an end of the queue: `skip(to: nil)`.
  case stop
}

extension PlayQueue {
  /// From this position on, previous restarts the current track.
  package static let restartThreshold = Seconds(3)

  /// Makes an entry the current one and clears its failure. In a shuffle, it is removed from the entries still to be
  /// played.
  ///
  /// - Throws: `QueueError.noSuchEntry`.
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

  /// The track for a play command without a loaded track; nil only for an empty queue.
  ///
  /// It is the current track or the next playable one, and the first one beyond the end. If all entries have failed,
  /// the current or first one is retried.
  package mutating func begin() -> Track? {
    guard let first = order.first else { return nil }
    if firstPlayable(from: 0) == nil { return current ?? (try? select(entries[first].track.id)) }
    return current ?? step(wraps: true)
  }

  /// The first matching entry after a track in play order, wrapping around at the end. Failed entries are included.
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

  /// The track that `advance` would make current; nil at the end. Used for prefetch.
  package var peekNext: Track? {
    var copy = self
    return copy.advance()
  }

  /// The current track; nil if there is none or it has failed.
  package var playableCurrent: Track? {
    isOnEntry && !entries[order[place]].hasFailed ? entries[order[place]].track : nil
  }

  /// The track that `pass` would make current; nil at the end.
  package var peekFirst: Track? {
    var copy = self
    return copy.pass()
  }

  /// Advances at the end of a track: to the same track with repeat one, otherwise to the next playable one.
  ///
  /// - Returns: Nil at the end of the queue, whose end-of-queue policy is applied, and at the stop point, which is then
  ///   removed.
  package mutating func advance() -> Track? {
    guard stopPoint == .track else {
      let next = pass()
      if next == nil { stopPoint = nil }
      return next
    }
    stopPoint = nil
    // The following track is the first one for the next play command.
    if !repeats, step() != nil { isOnEntry = false }
    return nil
  }

  /// Advances because the current track cannot be played or none is current. No track has ended, so the stop point
  /// stays.
  ///
  /// - Returns: The next playable track; nil at the end.
  package mutating func pass() -> Track? { repeats ? current : step() }

  /// The next command. It ignores repeat one and stops after the last track.
  package mutating func next() -> QueueMove { step().map { .skip($0) } ?? .stop }

  /// The previous command; from 3 s on, it restarts the track.
  ///
  /// - Parameters:
  ///   - position: Position in the current track.
  ///   - beforeFirst: What to do at the first track.
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

  /// Whether the current track repeats.
  private var repeats: Bool {
    repeatMode == .one && stopPoint != .queue && isOnEntry && !entries[order[place]].hasFailed
  }

  /// Whether the first track follows the last.
  private var wraps: Bool { (repeatMode == .all || endOfQueue == .repeat) && stopPoint != .queue }

  /// Advances to the next playable track.
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
      // A new round; the track that has just ended must not be the first one.
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
