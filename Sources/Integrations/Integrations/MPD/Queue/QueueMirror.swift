// A copy of the daemon's queue with a version per position, for MPD's `plchanges`. Values.

/// An entry of the queue.
struct QueueEntry: Hashable, Sendable {
  let id: Int
  /// The file or URL, as the daemon reports it.
  let path: String
  /// The title tag; nil if the daemon shows the file name instead.
  private(set) var title: String?
  private(set) var artist: String?
  private(set) var album: String?
  private(set) var number: String?
  private(set) var albumArtist: String?
  private(set) var genre: String?
  private(set) var date: String?
  private(set) var disc: String?
  /// Tags with several values.
  private var several: [MPDTag: [String]] = [:]
  /// The length in seconds.
  private(set) var length: String?
  /// The file's modification time and audio format, from the index.
  private(set) var modified: String?
  private(set) var format: String?
  /// Priority in shuffle; higher ones are played first.
  let priority: Int

  /// Parses a row of `queue list`; nil if id or path are missing.
  init?(_ row: BoxFields) {
    guard let id = row.integer("id"), let path = row["path"] else { return nil }
    self.id = id
    self.path = path
    title = row.tag(.title)
    artist = row.tag(.artist)
    album = row.tag(.album)
    number = row.tag(.track)
    length = row["length"]
    priority = row.integer("priority") ?? 0
  }
}

extension QueueEntry {
  /// Adds the file's tags from the index. Tags that the decoder has read take precedence.
  mutating func fill(_ index: BoxFields) {
    title = title ?? index.tag(.title)
    artist = artist ?? index.tag(.artist)
    album = album ?? index.tag(.album)
    number = number ?? index.tag(.track)
    (albumArtist, genre) = (index.tag(.albumArtist), index.tag(.genre))
    (date, disc) = (index.tag(.date), index.tag(.disc))
    length = length ?? index["length"]
    (modified, format) = (index["modified"], index["format"])
    several = [:]
    for tag in MPDTag.allCases {
      let values = index.values(tag)
      // Not if the queue has another value for this tag.
      guard values.count > 1, MPDStatus.tag(tag, of: self) == index.tag(tag) else { continue }
      several[tag] = values
    }
  }

  /// All values of a tag.
  func values(_ tag: MPDTag) -> [String] {
    several[tag] ?? MPDStatus.tag(tag, of: self).map { [$0] } ?? []
  }
}

/// The queue at its last query. Versions count observed changes; the daemon's revision tells whether a new query is
/// needed.
struct QueueMirror: Sendable {
  private(set) var entries: [QueueEntry] = []
  /// The version, counted from 1.
  private(set) var version = 1
  /// The version in which each position last changed.
  private var changed: [Int] = []
  /// The daemon's revision of this copy; nil if the copy is outdated.
  private(set) var revision: Int?

  /// Increments the version without a change.
  mutating func touch() { version += 1 }

  /// Marks the copy as outdated.
  mutating func forget() { revision = nil }

  /// Replaces the entries. Without a revision the copy counts as outdated.
  mutating func adopt(_ found: [QueueEntry], revision: Int?) {
    self.revision = revision
    change(to: found)
  }

  /// Adds tags from the index to all entries.
  mutating func fill(from tags: QueueTags) { change(to: tags.filled(entries)) }

  private mutating func change(to found: [QueueEntry]) {
    guard found != entries else { return }
    version += 1
    changed = found.indices.map { i in
      i < entries.count && entries[i] == found[i] ? changed[i] : version
    }
    entries = found
  }

  /// Positions changed since a version; all of them if the version is unknown.
  func changes(since version: Int) -> [Int] {
    guard version <= self.version else { return Array(entries.indices) }
    return entries.indices.filter { changed[$0] > version }
  }

  /// The position of an entry's id.
  func index(of id: Int) throws(MPDRefusal) -> Int {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .noSuchSong }
    return index
  }
}
