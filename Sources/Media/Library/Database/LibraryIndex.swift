// The music index: its tables, and how they are created and opened. Used by one thread at a time; blocks on storage.

import Platform

/// An open music index, for queries or updates.
final class LibraryIndex {
  /// Version of the schema and contents; an index with another version is rebuilt.
  static let version = 7

  let database: Database

  private static let tables = """
    CREATE TABLE track(
      path TEXT NOT NULL UNIQUE, folder TEXT NOT NULL, place BLOB NOT NULL,
      modified INTEGER NOT NULL, nanoseconds INTEGER NOT NULL, size INTEGER NOT NULL, file INTEGER NOT NULL,
      added INTEGER NOT NULL,
      title TEXT NOT NULL, artist TEXT NOT NULL, album TEXT NOT NULL, albumartist TEXT NOT NULL,
      genre TEXT NOT NULL, date TEXT NOT NULL, disc INTEGER NOT NULL,
      number INTEGER NOT NULL, length INTEGER NOT NULL,
      rate INTEGER NOT NULL, bits INTEGER NOT NULL, channels INTEGER NOT NULL,
      small_title TEXT NOT NULL, small_artist TEXT NOT NULL, small_album TEXT NOT NULL,
      small_albumartist TEXT NOT NULL, small_genre TEXT NOT NULL, fault TEXT NOT NULL,
      indexed INTEGER NOT NULL);
    CREATE TABLE sheet(
      path TEXT NOT NULL PRIMARY KEY, folder TEXT NOT NULL,
      modified INTEGER NOT NULL, nanoseconds INTEGER NOT NULL, size INTEGER NOT NULL, file INTEGER NOT NULL);
    CREATE INDEX sheet_folder ON sheet(folder);
    CREATE INDEX track_folder ON track(folder);
    CREATE INDEX track_place ON track(place);
    CREATE TABLE words(track INTEGER PRIMARY KEY, text TEXT NOT NULL);
    CREATE TRIGGER track_new AFTER INSERT ON track BEGIN
      INSERT INTO words VALUES(new.rowid, \(words)); END;
    CREATE TRIGGER track_told AFTER UPDATE OF \(searched.joined(separator: ", ")) ON track
      BEGIN UPDATE words SET text = \(words) WHERE track = new.rowid; END;
    CREATE TRIGGER track_gone AFTER DELETE ON track BEGIN DELETE FROM words WHERE track = old.rowid;
      DELETE FROM value WHERE track = old.rowid; END;
    CREATE TABLE value(
      track INTEGER NOT NULL, tag INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY(track, tag, text)) WITHOUT ROWID;
    CREATE TABLE fact(name TEXT NOT NULL PRIMARY KEY, value INTEGER NOT NULL);
    """

  /// Separator of multiple values of a tag within a column. Tags cannot contain it, since control characters are
  /// removed. The table `value` has one row per value of such a tag.
  static let separator = "\u{1F}"
  /// The separator as a byte.
  static let separatorByte: UInt8 = 0x1F

  /// Columns for a full-text search in all tags. `small_title` is the file name if there is no title.
  static let searched = [
    "small_title", "small_artist", "small_album", "small_albumartist", "small_genre", "date",
  ]

  /// Search text of a track in `words`: all columns with separators. A search reads a tenth of the data in `track`.
  private static let words = searched.map { "lower(new.\($0))" }.joined(separator: " || char(31) || ")

  /// Opens an index for queries; nil if it does not exist or has another version.
  static func open(_ path: String) throws(LibraryFault) -> LibraryIndex? {
    do throws(SystemError) {
      guard try StateFile(path).status() != nil else { return nil }
    } catch {
      throw LibraryFault("the index cannot be opened: \(error.description)", isBroken: false)
    }
    let database = try Database(path, isMade: false)
    try settle(database)
    // Full-text searches read the whole index; mapping it avoids copies of cached pages.
    try database.run("PRAGMA mmap_size=268435456")
    guard try database.number("PRAGMA user_version") == version else { return nil }
    return LibraryIndex(database)
  }

  /// Opens an index for updates. A damaged one or one of another version is replaced by an empty one.
  static func openOrMake(_ path: String) throws(LibraryFault) -> LibraryIndex {
    do throws(LibraryFault) {
      return try make(path)
    } catch {
      guard error.isBroken else { throw error }
      remove(path)
      return try make(path)
    }
  }

  /// A fact about the whole index.
  enum Fact: String {
    /// Time of the last update, in seconds since 1970.
    case updated
    /// Set of codecs at the last update, as a number.
    case codecs
  }

  /// The value of a fact; 0 if it is unknown.
  func fact(_ fact: Fact) throws(LibraryFault) -> Int64 {
    try database.number("SELECT value FROM fact WHERE name = ?", [.text(fact.rawValue)])
  }

  func set(_ fact: Fact, _ value: Int64) throws(LibraryFault) {
    try database.run(
      "INSERT INTO fact VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
      [.text(fact.rawValue), .integer(value)])
  }

  /// Number of tracks that match a condition.
  func count(_ condition: LibrarySQL) throws(LibraryFault) -> Int {
    Int(clamping: try database.number("SELECT count(*) FROM track WHERE " + condition.text, condition.values))
  }

  /// Deletes all rows. The file stays, because other processes may be reading it.
  func clear() throws(LibraryFault) {
    try database.run(
      "BEGIN; DELETE FROM track; DELETE FROM value; DELETE FROM sheet; DELETE FROM fact; COMMIT")
  }

  /// Removes an index with its journal files.
  private static func remove(_ path: String) {
    for ending in Database.endings { AtomicFile.remove(path + ending) }
  }

  private static func make(_ path: String) throws(LibraryFault) -> LibraryIndex {
    let database = try Database(path, isMade: true)
    // Readers never wait for the writer, and the SD card gets few, long writes.
    try database.run("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=500")
    try settle(database)
    let found = try database.number("PRAGMA user_version")
    if found != version {
      guard found == 0, try database.number("SELECT count(*) FROM sqlite_master") == 0 else {
        throw LibraryFault("\(path) is of another version", isBroken: true)
      }
      try database.run("BEGIN; \(tables) PRAGMA user_version=\(version); COMMIT")
    }
    // Detect torn pages before their rows are used.
    guard try isSound(database) else { throw LibraryFault("\(path) is damaged", isBroken: true) }
    return LibraryIndex(database)
  }

  private static func settle(_ database: Database) throws(LibraryFault) {
    try database.run("PRAGMA cache_size=-2048; PRAGMA temp_store=MEMORY; PRAGMA trusted_schema=OFF")
  }

  private static func isSound(_ database: Database) throws(LibraryFault) -> Bool {
    var isSound = false
    try database.rows("PRAGMA quick_check(1)") { (row) throws(LibraryFault) in isSound = row.text(0) == "ok" }
    return isSound
  }

  private init(_ database: Database) { self.database = database }
}
