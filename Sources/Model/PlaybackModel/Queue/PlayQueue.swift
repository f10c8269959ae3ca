// The play queue: its tracks, their order, and which one is next. A pure value without access to the player; the engine
// turns its answers into `skip(to:)`. Control thread.

/// The queue: entries in display order, and their play order.
package struct PlayQueue: Sendable {
  /// Maximum number of entries.
  package static let limit = 10_000

  var entries: [Snapshot.Entry] = []
  /// Indices into `entries`, in play order.
  var order: [Int] = []
  /// Place in `order` of the current entry, or of the next one if none is current.
  var place = 0
  var isOnEntry = false
  var nextID: UInt64 = 1
  var generator: ShuffleGenerator

  /// Repeat mode.
  package var repeatMode = RepeatMode.off
  /// Policy at the end of the queue.
  package var endOfQueue = EndOfQueue.stopAndKeep
  /// Where playback stops before the end; nil for the end.
  package var stopPoint: StopPoint?
  /// Whether the play order is random.
  package internal(set) var isShuffled = false
  /// Counts changes of the entries or their order, to invalidate copies. Advancing, failures and metadata from decoders
  /// do not count.
  package internal(set) var revision: UInt64 = 0

  /// An empty queue; equal seeds give equal shuffles.
  package init(seed: UInt64 = 0) { generator = ShuffleGenerator(seed: seed) }

  /// A repeating fallback list for a silent stream; its ids never equal those of a queue.
  package init(fallback tracks: [Track]) {
    self.init()
    nextID = Track.firstFallbackID
    repeatMode = .all
    try? add(Array(tracks.prefix(Self.limit)))
  }

  /// Number of entries.
  package var count: Int { entries.count }
  /// Whether the queue is empty.
  package var isEmpty: Bool { entries.isEmpty }
  /// The tracks in display order.
  package var tracks: [Track] { entries.map { $0.track } }
  /// Priorities of the entries in a shuffle, in display order.
  package var priorities: [UInt8] { entries.map { $0.priority } }
  /// All tracks in play order, including those already played.
  package var playOrder: [Track] { order.map { entries[$0].track } }
  /// The current track; nil before the first one and after the current one was removed.
  package var current: Track? { currentIndex.map { entries[$0].track } }
  /// Index of the current track in `tracks`.
  package var currentIndex: Int? { isOnEntry ? order[place] : nil }
  /// The tracks after the current one in this round, in play order.
  package var upcoming: [Track] { order[following...].map { entries[$0].track } }
  /// The track with an id; nil if there is none.
  package func track(_ id: UInt64) -> Track? { index(of: id).map { entries[$0].track } }

  /// Whether the entry with this id was removed. False for ids that the queue has never assigned.
  package func hasRemoved(_ id: UInt64) -> Bool {
    guard id >= 1, id < nextID else { return false }
    if let currentIndex, entries[currentIndex].track.id == id { return false }
    return index(of: id) == nil
  }

  // MARK: Changes

  /// Appends a track; in a shuffle, it is played at a random place among the remaining ones.
  ///
  /// - Returns: The new id of the entry.
  /// - Throws: `QueueError.full`.
  @discardableResult
  package mutating func add(_ track: Track) throws(QueueError) -> UInt64 {
    try insert(track, at: entries.count)
  }

  /// Appends tracks: all of them or none.
  ///
  /// - Throws: `QueueError.full`.
  package mutating func add(_ tracks: [Track]) throws(QueueError) {
    guard tracks.count <= Self.limit - entries.count else { throw .full(limit: Self.limit) }
    try insert(tracks, at: entries.count)
  }

  /// Inserts tracks at a display position: all of them or none. Takes time linear in the number of old and new entries.
  ///
  /// - Parameters:
  ///   - tracks: The tracks, in order.
  ///   - position: Display position of the first one, 0…count.
  /// - Throws: `QueueError`.
  package mutating func insert(_ tracks: [Track], at position: Int) throws(QueueError) {
    guard position >= 0, position <= entries.count else {
      throw .noSuchPosition(position, count: entries.count)
    }
    let new = try admit(tracks, at: position)
    guard isShuffled else { return schedule(new, at: position) }
    scheduleAtRandom(new)
  }

  /// Inserts a track at a display position. With shuffle, it is played at a random place among the remaining ones.
  ///
  /// - Parameters:
  ///   - track: The track.
  ///   - position: Display position, 0…count.
  /// - Returns: The new id of the entry.
  /// - Throws: `QueueError`.
  @discardableResult
  package mutating func insert(_ track: Track, at position: Int) throws(QueueError) -> UInt64 {
    guard position >= 0, position <= entries.count else {
      throw .noSuchPosition(position, count: entries.count)
    }
    try insert([track], at: position)
    return entries[position].track.id
  }

  /// Inserts a track after the current one, to be played next, also in a shuffle.
  ///
  /// - Returns: The new id of the entry.
  /// - Throws: `QueueError.full`.
  @discardableResult
  package mutating func insertNext(_ track: Track) throws(QueueError) -> UInt64 {
    let position = isOnEntry ? order[place] + 1 : isShuffled ? entries.count : place
    return try insert(track, at: position, playedAt: isShuffled ? following : position)
  }

  private mutating func insert(
    _ track: Track, at position: Int, playedAt newPlace: Int
  ) throws(QueueError) -> UInt64 {
    schedule(try admit([track], at: position), at: newPlace)
    return entries[position].track.id
  }

  /// Adds tracks to `entries` at `position`, without adding them to the play order: all of them or none.
  private mutating func admit(_ tracks: [Track], at position: Int) throws(QueueError) -> Range<Int> {
    guard tracks.count <= Self.limit - entries.count else { throw .full(limit: Self.limit) }
    let new = position..<position + tracks.count
    guard !tracks.isEmpty else { return new }
    if position < entries.count {
      for i in order.indices where order[i] >= position { order[i] += tracks.count }
    }
    entries.insert(
      contentsOf: tracks.enumerated().map { i, track in
        var track = track
        track.id = nextID + UInt64(i)
        return Snapshot.Entry(track: track)
      }, at: position)
    nextID += UInt64(tracks.count)
    revision += 1
    return new
  }

  /// Inserts entries into the play order at a place.
  private mutating func schedule(_ new: Range<Int>, at newPlace: Int) {
    order.insert(contentsOf: new, at: newPlace)
    if newPlace < following { place += new.count }
  }

  /// Removes an entry. If it is the current one, none is current and the entry after it is next.
  ///
  /// - Throws: `QueueError.noSuchEntry`.
  package mutating func remove(_ id: UInt64) throws(QueueError) {
    guard let index = index(of: id), let removed = place(of: index) else { throw .noSuchEntry(id) }
    revision += 1
    entries.remove(at: index)
    order.remove(at: removed)
    for i in order.indices where order[i] > index { order[i] -= 1 }
    if removed < place {
      place -= 1
    } else if removed == place {
      isOnEntry = false
    }
  }

  /// Moves an entry to a display position, 0..<count. Without shuffle, the play order follows.
  ///
  /// - Throws: `QueueError`.
  package mutating func move(_ id: UInt64, to position: Int) throws(QueueError) {
    guard let old = index(of: id) else { throw .noSuchEntry(id) }
    guard position >= 0, position < entries.count else {
      throw .noSuchPosition(position, count: entries.count)
    }
    revision += 1
    let entry = entries.remove(at: old)
    entries.insert(entry, at: position)
    if isShuffled {
      for i in order.indices {
        if order[i] == old {
          order[i] = position
        } else {
          if order[i] > old { order[i] -= 1 }
          if order[i] >= position { order[i] += 1 }
        }
      }
    } else if isOnEntry {
      if place == old {
        place = position
      } else {
        if place > old { place -= 1 }
        if place >= position { place += 1 }
      }
    }
  }

  /// Removes all entries.
  package mutating func clear() {
    revision += 1
    entries = []
    order = []
    place = 0
    isOnEntry = false
  }

  /// Removes the entries that have not been played in this round.
  package mutating func removeUpcoming() {
    revision += 1
    var keep = [Bool](repeating: false, count: entries.count)
    for index in order[..<following] { keep[index] = true }
    var newIndex = [Int](repeating: 0, count: entries.count)
    var kept: [Snapshot.Entry] = []
    for i in entries.indices where keep[i] {
      newIndex[i] = kept.count
      kept.append(entries[i])
    }
    order = order[..<following].map { newIndex[$0] }
    entries = kept
  }

  /// Updates a track with metadata from its decoder.
  package mutating func describe(_ track: Track) {
    if let index = index(of: track.id) { entries[index].track = track }
  }

  /// Marks an entry as failed, so that it is skipped from now on.
  package mutating func markFailed(_ id: UInt64) {
    if let index = index(of: id) { entries[index].hasFailed = true }
  }

  /// Number of failed entries.
  package var failedCount: Int { entries.count { $0.hasFailed } }

  /// Whether any entry is marked as failed.
  package var passesOverAny: Bool { entries.contains { $0.hasFailed } }

  /// Clears the failures of all entries.
  package mutating func forgetFailures() {
    for i in entries.indices { entries[i].hasFailed = false }
  }

  /// Clears the failures of entries below a folder.
  package mutating func forgetFailures(beneath folder: String) {
    for i in entries.indices where entries[i].track.lives(beneath: folder) { entries[i].hasFailed = false }
  }

  /// Turns shuffle on or off.
  ///
  /// On: the current track stays and the others follow in random order. Off: playback continues in display order.
  package mutating func shuffle(_ on: Bool) {
    guard on != isShuffled else { return }
    revision += 1
    isShuffled = on
    let current = isOnEntry ? order[place] : nil
    if on {
      if let current {
        order.removeAll { $0 == current }
        order.insert(current, at: 0)
        place = 0
      }
      shuffleOrder(from: current == nil ? place : 1)
    } else {
      order = Array(entries.indices)
      place = current ?? min(place, order.count)
    }
  }

  /// Place in `order` of the first entry after the current one.
  var following: Int { isOnEntry ? place + 1 : place }

  func index(of id: UInt64) -> Int? { entries.firstIndex { $0.track.id == id } }

  func place(of index: Int) -> Int? { order.firstIndex(of: index) }
}
