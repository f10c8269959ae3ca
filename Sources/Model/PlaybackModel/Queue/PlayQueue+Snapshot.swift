// A queue taken apart, so that it can be written down and put together again exactly. Pure values; any thread.

extension PlayQueue {
  /// Where in the queue playing is, and what happens at its ends: the part that changes with every track.
  package struct Cursor: Hashable, Sendable {
    /// The place in the play order of the current entry or, where none is current, of the one to play next.
    package var place: Int
    /// Whether the entry at `place` is the current one.
    package var isOnEntry: Bool
    /// The id of the entry at `place`, which finds it again in an older copy of the queue; nil at the end.
    package var id: UInt64?
    /// What is repeated.
    package var repeatMode: RepeatMode
    /// What happens at the end.
    package var endOfQueue: EndOfQueue
    /// Where the music stops before that.
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

  /// Everything a queue consists of.
  package struct Snapshot: Hashable, Sendable {
    /// One entry.
    package struct Entry: Hashable, Sendable {
      /// What is played, under the id that the queue gave it.
      package var track: Track
      /// Whether it is passed over.
      package var hasFailed: Bool
      /// In a shuffle those with a higher one are played first.
      package var priority: UInt8

      /// An entry.
      package init(track: Track, hasFailed: Bool = false, priority: UInt8 = 0) {
        self.track = track
        self.hasFailed = hasFailed
        self.priority = priority
      }
    }

    /// The entries in the order people see.
    package var entries: [Entry]
    /// Indices into `entries`, in the order they are played.
    package var order: [Int]
    /// Whether that order is a random one.
    package var isShuffled: Bool
    /// The id that the next entry gets.
    package var nextID: UInt64
    /// The memory of the random generator.
    package var generator: UInt64
    /// Where playing is.
    package var cursor: Cursor

    /// A queue's parts; whether they fit together shows when the queue is made of them.
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

    /// Whether a queue can be made of it: no more entries than allowed, every entry exactly once in the
    /// play order (in the order people see, unless shuffled), ids that are unique and were handed out, and
    /// a cursor within.
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

    /// Takes over a cursor that may be from before or after other changes of the queue: the entry it names
    /// is looked for, and without it nothing is current.
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

  /// Where playing is.
  package var cursor: Cursor {
    Cursor(
      place: place, isOnEntry: isOnEntry, id: place < order.count ? entries[order[place]].track.id : nil,
      repeatMode: repeatMode, endOfQueue: endOfQueue, stopPoint: stopPoint)
  }

  /// The queue's parts; copies nothing until one of the two changes.
  package var snapshot: Snapshot {
    Snapshot(
      entries: entries, order: order, isShuffled: isShuffled, nextID: nextID, generator: generator.state,
      cursor: cursor)
  }

  /// The queue that `snapshot` was taken of, ids included; nil where the parts contradict each other.
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
