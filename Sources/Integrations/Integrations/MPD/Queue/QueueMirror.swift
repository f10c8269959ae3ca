// A copy of the box's queue, with a version for each entry, so that clients learn what has changed since they looked. Values.

/// An entry of the queue.
struct QueueEntry: Hashable, Sendable {
  let id: Int
  /// The file or address, as the box has it.
  let path: String
  /// The title's tag; nil where the box shows the file's name instead.
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
  /// In seconds.
  private(set) var length: String?
  /// When the file was written, and what it holds, as the index says it.
  private(set) var modified: String?
  private(set) var format: String?
  /// Those with a higher one are played first in a shuffle.
  let priority: Int

  /// A row of `queue list`; nil for one that is none.
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
  /// Takes over what the index knows of its file. What was opened knows itself best.
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
      // Not where the queue calls it otherwise.
      guard values.count > 1, MPDStatus.tag(tag, of: self) == index.tag(tag) else { continue }
      several[tag] = values
    }
  }

  /// All values of a tag.
  func values(_ tag: MPDTag) -> [String] {
    several[tag] ?? MPDStatus.tag(tag, of: self).map { [$0] } ?? []
  }
}

/// The queue as it was when it was looked at last. Its versions count what was seen to change; the box's own revision says whether
/// there is something to see.
struct QueueMirror: Sendable {
  private(set) var entries: [QueueEntry] = []
  /// Counts changes, from 1 on.
  private(set) var version = 1
  /// The version in which each place has got what it has.
  private var changed: [Int] = []
  /// The box's revision that this is a copy of; nil: of none.
  private(set) var revision: Int?

  /// Counts a change that changes no entry.
  mutating func touch() { version += 1 }

  /// The queue has to be looked at again.
  mutating func forget() { revision = nil }

  /// Takes over what the queue is now; without a revision it has to be looked at again.
  mutating func adopt(_ found: [QueueEntry], revision: Int?) {
    self.revision = revision
    change(to: found)
  }

  /// Takes over what is known of its files.
  mutating func fill(from tags: QueueTags) { change(to: tags.filled(entries)) }

  private mutating func change(to found: [QueueEntry]) {
    guard found != entries else { return }
    version += 1
    changed = found.indices.map { i in
      i < entries.count && entries[i] == found[i] ? changed[i] : version
    }
    entries = found
  }

  /// The places that have changed since a version; all where that is a version of another time.
  func changes(since version: Int) -> [Int] {
    guard version <= self.version else { return Array(entries.indices) }
    return entries.indices.filter { changed[$0] > version }
  }

  /// The place of an id.
  func index(of id: Int) throws(MPDRefusal) -> Int {
    guard let index = entries.firstIndex(where: { $0.id == id }) else { throw .noSuchSong }
    return index
  }
}
