// Rows of the music index, created from a sandboxed worker's results. Runs in the update process; blocks on the worker.

import Decoding
import Media
import PlaybackModel
import Platform

/// Identifies a version of a file, to detect changes.
struct FileStamp: Hashable {
  /// Modification time in seconds since 1970.
  let modified: Int64
  /// Nanoseconds of the modification time, with the resolution of the file system.
  let nanoseconds: Int64
  let size: Int64
  let file: Int64
}

extension FileStamp {
  init(_ status: FileStatus) {
    self.init(
      modified: status.modified, nanoseconds: Int64(status.modifiedNanoseconds), size: Int64(status.size),
      file: Int64(truncatingIfNeeded: status.identity.file))
  }

  /// The columns that store it.
  static let columns = "modified, nanoseconds, size, file"

  /// The stamp of a row, starting at a column.
  init(_ row: Statement, from column: Int32) {
    self.init(
      modified: row.integer(column), nanoseconds: row.integer(column + 1), size: row.integer(column + 2),
      file: row.integer(column + 3))
  }

  /// Values for `columns`.
  var values: [DatabaseValue] { [.integer(modified), .integer(nanoseconds), .integer(size), .integer(file)] }

  /// A stamp that matches no file, so that the file is read again in the next update.
  var untrusted: FileStamp { FileStamp(modified: modified, nanoseconds: -1, size: size, file: file) }
  /// SQL assignment that makes the stamps of rows untrusted.
  static let distrust = "nanoseconds = -1"
}

extension WorkerFailure {
  /// Whether to retry an unchanged file: the storage or worker failed, not the file.
  var isPassing: Bool {
    switch kind {
    case .missing, .away, .unreadable, .decoderHung, .internalError, .network, .refused: true
    case .unsupportedFormat, .corrupt, .protected, .decoderCrashed, .decoderBrokeSandbox: false
    }
  }
}

/// Record of one track.
struct TrackRecord {
  private let path: String
  private let values: [DatabaseValue]
  /// Tags with multiple values.
  private let several: [(tag: TextTag, texts: [String])]
  /// Whether the failure is temporary, so that the unchanged file should be read again.
  let isPassing: Bool
  /// Whether the file contains a cue sheet.
  let holdsSheet: Bool

  private static let sql = """
    INSERT INTO track VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,0)
    ON CONFLICT(path) DO UPDATE SET modified=excluded.modified, nanoseconds=excluded.nanoseconds,
    size=excluded.size, file=excluded.file,
    title=excluded.title, artist=excluded.artist, album=excluded.album, albumartist=excluded.albumartist,
    genre=excluded.genre, date=excluded.date, disc=excluded.disc,
    number=excluded.number, length=excluded.length, rate=excluded.rate, bits=excluded.bits,
    channels=excluded.channels, small_title=excluded.small_title, small_artist=excluded.small_artist,
    small_album=excluded.small_album, small_albumartist=excluded.small_albumartist,
    small_genre=excluded.small_genre, fault=excluded.fault
    """

  /// Reads a file. An unreadable one gets a record with the reason, so that it is not read again until it changes.
  init(reading path: String, in folder: String, _ stamp: FileStamp, now: Int64, _ roots: MediaRoots) {
    do throws(WorkerFailure) {
      self.init(path, in: folder, stamp, now: now, try Self.probe(path, within: roots), fault: "")
    } catch {
      let stamp = error.isPassing ? stamp.untrusted : stamp
      self.init(path, in: folder, stamp, now: now, nil, fault: error.sentence, isPassing: error.isPassing)
    }
  }

  /// A record from a file's stream information, or from the failure to read it.
  init(
    _ path: String, in folder: String, _ stamp: FileStamp, now: Int64, _ info: StreamInfo?, fault: String,
    isPassing: Bool = false
  ) {
    self.isPassing = isPassing
    holdsSheet = info?.holdsSheet ?? false
    let tags = info?.tags ?? StreamInfo.Tags()
    self.path = path
    several = Self.several(tags)
    values = Self.values(
      path, in: folder, stamp, now: now, tags,
      length: info.map { Self.milliseconds($0) } ?? 0,
      Format(
        rate: Int64(info?.sourceRate ?? 0), bits: Int64(info?.bits ?? 0), channels: Int64(info?.channels ?? 0)
      ),
      fault: fault)
  }

  /// A record of a cue sheet track, with the file's tags for those missing in the sheet.
  init(
    _ entry: MediaList.SheetEntry, at place: SheetTrack, _ stamp: FileStamp, now: Int64, _ file: IndexedFile
  ) {
    isPassing = false
    let track = entry.track
    holdsSheet = false
    var tags = file.tags
    tags.title = track.title ?? ""
    if let artist = track.artist { tags.artist = artist }
    if let album = track.album { tags.album = album }
    if let albumArtist = entry.albumArtist { tags.albumArtist = albumArtist }
    if let date = entry.date { tags.date = date }
    if let genre = entry.genre { tags.genre = genre }
    tags.trackNumber = track.trackNumber ?? place.number
    path = place.path
    several = Self.several(tags)
    values = Self.values(
      place.path, in: place.sheet, stamp, now: now, tags, length: file.length(of: track.section), file.format,
      fault: "")
  }

  /// Inserts the record or replaces an existing one with its path.
  func store(in database: Database) throws(LibraryFault) {
    try database.run(Self.sql, values)
    let row = "(SELECT rowid FROM track WHERE path = ?)"
    try database.run("DELETE FROM value WHERE track = " + row, [.text(path)])
    for (tag, texts) in several {
      for text in texts {
        try database.run(
          "INSERT OR IGNORE INTO value VALUES(\(row), ?, ?)",
          [.text(path), .integer(Int64(tag.rawValue)), .text(text)])
      }
    }
  }

  private static func several(_ tags: StreamInfo.Tags) -> [(tag: TextTag, texts: [String])] {
    TextTag.allCases.compactMap { tags[$0].count > 1 ? ($0, tags[$0]) : nil }
  }

  /// Sample format of a file.
  struct Format {
    let rate: Int64
    let bits: Int64
    let channels: Int64
  }

  private static func values(
    _ path: String, in folder: String, _ stamp: FileStamp, now: Int64, _ tags: StreamInfo.Tags,
    length: Int64, _ format: Format, fault: String
  ) -> [DatabaseValue] {
    let name = MediaList.withoutExtension(Track(id: 0, path: path).displayName)
    func text(_ tag: TextTag) -> String { tags[tag].joined(separator: LibraryIndex.separator) }
    func folded(_ tag: TextTag) -> DatabaseValue { .text(TextFolding.folded(text(tag))) }
    return [
      .text(path), .text(folder), .bytes(OrderKey.of(path)),
    ] + stamp.values + [
      .integer(now), .text(text(.title)), .text(text(.artist)), .text(text(.album)),
      .text(text(.albumArtist)),
      .text(text(.genre)), .text(text(.date)), .integer(Int64(tags.discNumber ?? 0)),
      .integer(Int64(tags.trackNumber ?? 0)), .integer(length),
      .integer(format.rate), .integer(format.bits), .integer(format.channels),
      // Without a title, users search by the file name.
      tags[.title].isEmpty ? .text(TextFolding.folded(name)) : folded(.title),
      folded(.artist), folded(.album), folded(.albumArtist), folded(.genre), .text(fault),
    ]
  }

  private static func probe(_ path: String, within roots: MediaRoots) throws(WorkerFailure) -> StreamInfo {
    guard let place = roots.place(of: path) else { throw .outsideRoots }
    return try Inspection.probe(place)
  }

  private static func milliseconds(_ info: StreamInfo) -> Int64 {
    guard let frames = info.sourceFrames, info.sourceRate > 0 else { return 0 }
    return frames.multipliedReportingOverflow(by: 1000).partialValue / Int64(info.sourceRate)
  }
}
