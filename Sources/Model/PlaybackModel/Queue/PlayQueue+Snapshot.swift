// A snapshot of the queue for saving and restoring it exactly. Pure values; any thread.

extension PlayQueue {
  /// Play position of the queue and its end policies: the part that changes with every track.
  package struct Cursor: Hashable, Sendable {
    /// Place in the play order of the current entry, or of the next one if none is current.
    package var place: Int
    /// Whether the entry at `place` is the current one.
    package var isOnEntry: Bool
    /// Id of the entry at `place`, to find it in an older copy of the queue; nil at the end.
    package var id: UInt64?
    /// Repeat mode.
    package var repeatMode: RepeatMode
    /// Policy at the end of the queue.
    package var endOfQueue: EndOfQueue
    /// Where playback stops before the end; nil for the end.
    package var stopPoint: StopPoint?

    /// A cursor; the defaults are those of an empty queue.
    package init(
      place: Int = 0, isOnEntry: Bool = false, id: UInt64? = nil, repeatMode: RepeatMode = .off,
      endOfQueue: EndOfQueue = .stopAndKeep, stopPoint: StopPoint? = nil
    ) {
      self.place = place
      self.isOnEntry = isOnEntry
      self.id = id
      self.repeatMode = repeatMode
      self.endOfQueue = endOfQueue
      self.stopPoint = stopPoint
    }
  }

  /// All data of a queue.
  package struct Snapshot: Hashable, Sendable {
    /// A queue entry.
    package struct Entry: Hashable, Sendable {
      /// The track, with the id assigned by the queue.
      package var track: Track
      /// Whether it failed and is skipped.
      package var hasFailed: Bool
      /// Priority in a shuffle; higher ones are played first.
      package var priority: UInt8

      /// An entry.
      package init(track: Track, hasFailed: Bool = false, priority: UInt8 = 0) {
        self.track = track
        self.hasFailed = hasFailed
        self.priority = priority
      }
    }

    /// The entries in display order.
    package var entries: [Entry]
    /// Indices into `entries`, in play order.
    package var order: [Int]
    /// Whether the play order is random.
    package var isShuffled: Bool
    /// Id of the next new entry.
    package var nextID: UInt64
    /// State of the random number generator.
    package var generator: UInt64
    /// The play position.
    package var cursor: Cursor

    /// A snapshot; `isConsistent` checks it.
    package init(
      entries: [Entry], order: [Int], isShuffled: Bool, nextID: UInt64, generator: UInt64, cursor: Cursor
    ) {
      self.entries = entries
      self.order = order
      self.isShuffled = isShuffled
      self.nextID = nextID
      self.generator = generator
      self.cursor = cursor
    }

    /// Whether a queue can be restored from it.
    ///
    /// Checks the number of entries, the play order (each entry once; display order unless shuffled), the ids (unique
    /// and below `nextID`), and the cursor.
    package var isConsistent: Bool {
      let count = entries.count
      guard count <= PlayQueue.limit, order.count == count, nextID >= 1,
        nextID < Track.firstFallbackID
      else {
        return false
      }
      guard cursor.place >= 0, cursor.place <= count, !cursor.isOnEntry || cursor.place < count else {
        return false
      }
      var isPlayed = [Bool](repeating: false, count: count)
      for place in 0..<count {
        let index = order[place]
        guard index >= 0, index < count, !isPlayed[index], isShuffled || index == place else { return false }
        isPlayed[index] = true
      }
      guard cursor.id == (cursor.place < count ? entries[order[cursor.place]].track.id : nil) else {
        return false
      }
      var ids = Set<UInt64>(minimumCapacity: count)
      for entry in entries {
        let id = entry.track.id
        guard id >= 1, id < nextID, ids.insert(id).inserted else { return false }
      }
      return true
    }

    /// Applies a cursor that may be older or newer than the snapshot.
    ///
    /// Its entry is searched by id; if it is missing, no entry is current.
    package mutating func move(to wanted: Cursor) {
      cursor.repeatMode = wanted.repeatMode
      cursor.endOfQueue = wanted.endOfQueue
      cursor.stopPoint = wanted.stopPoint
      if let id = wanted.id, let found = place(of: id, near: wanted.place) {
        cursor.place = found
        cursor.isOnEntry = wanted.isOnEntry
      } else {
        cursor.place = min(max(wanted.place, 0), order.count)
        cursor.isOnEntry = false
      }
      cursor.id = cursor.place < order.count ? id(at: cursor.place) : nil
    }

    private func place(of id: UInt64, near guess: Int) -> Int? {
      if order.indices.contains(guess), self.id(at: guess) == id { return guess }
      return order.indices.first { self.id(at: $0) == id }
    }

    private func id(at place: Int) -> UInt64? {
      entries.indices.contains(order[place]) ? entries[order[place]].track.id : nil
    }
  }

  /// The play position.
  package var cursor: Cursor {
    Cursor(
      place: place, isOnEntry: isOnEntry, id: place < order.count ? entries[order[place]].track.id : nil,
      repeatMode: repeatMode, endOfQueue: endOfQueue, stopPoint: stopPoint)
  }

  /// A snapshot of the queue; copies memory only on the next change.
  package var snapshot: Snapshot {
    Snapshot(
      entries: entries, order: order, isShuffled: isShuffled, nextID: nextID, generator: generator.state,
      cursor: cursor)
  }

  /// Restores a queue, including ids; nil if the snapshot is inconsistent.
  package init?(_ snapshot: Snapshot) {
    guard snapshot.isConsistent else { return nil }
    self.init(seed: snapshot.generator)
    entries = snapshot.entries
    order = snapshot.order
    place = snapshot.cursor.place
    isOnEntry = snapshot.cursor.isOnEntry
    nextID = snapshot.nextID
    isShuffled = snapshot.isShuffled
    repeatMode = snapshot.cursor.repeatMode
    endOfQueue = snapshot.cursor.endOfQueue
    stopPoint = snapshot.cursor.stopPoint
  }
}
