// What is to be played, and in which order. A pure value; control thread.
// It knows nothing of the player: it answers which track is next, and the shell turns that into skip(to:).

/// The queue: entries in the order people see, and the order they are played in.
package struct PlayQueue: Sendable {
  /// How many entries there can be.
  package static let limit = 10_000

  var entries: [Snapshot.Entry] = []
  /// Indices into `entries`, in the order they are played.
  var order: [Int] = []
  /// The place in `order` of the current entry, or, where none is current, of the one to play next.
  var place = 0
  var isOnEntry = false
  var nextID: UInt64 = 1
  var generator: ShuffleGenerator

  /// What is repeated.
  package var repeatMode = RepeatMode.off
  /// What happens at the end.
  package var endOfQueue = EndOfQueue.stopAndKeep
  /// Where the music stops before that; nil where nobody has asked for it.
  package var stopPoint: StopPoint?
  /// Whether entries are played in random order.
  package internal(set) var isShuffled = false
  /// Counts the changes of the entries or of their order, so that whoever keeps a copy knows when it is out
  /// of date. Moving on, failures and what decoders tell do not count.
  package internal(set) var revision: UInt64 = 0

  /// An empty queue; the same seed shuffles the same way.
  package init(seed: UInt64 = 0) { generator = ShuffleGenerator(seed: seed) }

  /// A list that stands in for a silent station, over and over: its ids are none of a queue's.
  package init(fallback tracks: [Track]) {
    self.init()
    nextID = Track.firstFallbackID
    repeatMode = .all
    try? add(Array(tracks.prefix(Self.limit)))
  }

  /// How many entries there are.
  package var count: Int { entries.count }
  /// Whether there are none.
  package var isEmpty: Bool { entries.isEmpty }
  /// The tracks in the order people see.
  package var tracks: [Track] { entries.map { $0.track } }
  /// Their priorities in a shuffle, in the same order.
  package var priorities: [UInt8] { entries.map { $0.priority } }
  /// The tracks in the order they are played, with those already played.
  package var playOrder: [Track] { order.map { entries[$0].track } }
  /// The current track; nil before the first and after the current one was removed.
  package var current: Track? { currentIndex.map { entries[$0].track } }
  /// The current track's place among `tracks`, from 0.
  package var currentIndex: Int? { isOnEntry ? order[place] : nil }
  /// The tracks that follow the current one in this round, in the order they are played.
  package var upcoming: [Track] { order[following...].map { entries[$0].track } }
  /// The entry with this id.
  package func track(_ id: UInt64) -> Track? { index(of: id).map { entries[$0].track } }

  /// Whether an entry had this id that is in the queue no more. False for ids that the queue has never given.
  package func hasRemoved(_ id: UInt64) -> Bool {
    guard id >= 1, id < nextID else { return false }
    if let currentIndex, entries[currentIndex].track.id == id { return false }
    return index(of: id) == nil
  }

  // Changes

  /// Adds a track at the end, under a new id, which is returned. In a shuffle it goes to a random place
  /// among those still to be played.
  @discardableResult
  package mutating func add(_ track: Track) throws(QueueError) -> UInt64 {
    try insert(track, at: entries.count)
  }

  /// Adds tracks at the end; all of them or none.
  package mutating func add(_ tracks: [Track]) throws(QueueError) {
    guard tracks.count <= Self.limit - entries.count else { throw .full(limit: Self.limit) }
    try insert(tracks, at: entries.count)
  }

  /// Inserts tracks so that people see them one after another from `position` on, 0…count; all of them or none. The time it
  /// takes grows with what is there and what comes, not with their product.
  package mutating func insert(_ tracks: [Track], at position: Int) throws(QueueError) {
    guard position >= 0, position <= entries.count else {
      throw .noSuchPosition(position, count: entries.count)
    }
    let new = try admit(tracks, at: position)
    guard isShuffled else { return schedule(new, at: position) }
    scheduleAtRandom(new)
  }

  /// Inserts a track so that people see it at `position`, 0…count. Without shuffle it is played there,
  /// with shuffle at a random place among those still to be played.
  @discardableResult
  package mutating func insert(_ track: Track, at position: Int) throws(QueueError) -> UInt64 {
    guard position >= 0, position <= entries.count else {
      throw .noSuchPosition(position, count: entries.count)
    }
    try insert([track], at: position)
    return entries[position].track.id
  }

  /// Inserts a track right after the current one, to be played next also in a shuffle.
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

  /// Makes tracks entries from `position` on, which are not played yet; all of them or none.
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

  /// Has entries played one after another from a place of the order on.
  private mutating func schedule(_ new: Range<Int>, at newPlace: Int) {
    order.insert(contentsOf: new, at: newPlace)
    if newPlace < following { place += new.count }
  }

  /// Removes an entry. If it is the current one, none is current, and the one behind it is next.
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

  /// Moves an entry so that people see it at `position`, 0..<count. Without shuffle it is played there.
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

  /// Removes every entry.
  package mutating func clear() {
    revision += 1
    entries = []
    order = []
    place = 0
    isOnEntry = false
  }

  /// Removes what has not been played in this round.
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

  /// Takes over what a decoder has told about a track.
  package mutating func describe(_ track: Track) {
    if let index = index(of: track.id) { entries[index].track = track }
  }

  /// Passes an entry over from now on, because it cannot be played.
  package mutating func markFailed(_ id: UInt64) {
    if let index = index(of: id) { entries[index].hasFailed = true }
  }

  /// How many entries are passed over.
  package var failedCount: Int { entries.count { $0.hasFailed } }

  /// Whether any entry is passed over.
  package var passesOverAny: Bool { entries.contains { $0.hasFailed } }

  /// Gives all entries another chance.
  package mutating func forgetFailures() {
    for i in entries.indices { entries[i].hasFailed = false }
  }

  /// Gives the entries beneath a folder another chance.
  package mutating func forgetFailures(beneath folder: String) {
    for i in entries.indices where entries[i].track.lives(beneath: folder) { entries[i].hasFailed = false }
  }

  /// Turns shuffle on or off. On: the current track stays, all others follow in random order. Off: it goes
  /// on in the order people see.
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

  /// The place in `order` of the first entry that follows the current one.
  var following: Int { isOnEntry ? place + 1 : place }

  func index(of id: UInt64) -> Int? { entries.firstIndex { $0.track.id == id } }

  func place(of index: Int) -> Int? { order.firstIndex(of: index) }
}
