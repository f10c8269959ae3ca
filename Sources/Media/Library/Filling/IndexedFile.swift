// Tags and format of a file in the index, for the cue sheet tracks within it. Runs in the update process.

import Decoding
import PlaybackModel

/// A file in the index.
struct IndexedFile {
  let tags: StreamInfo.Tags
  let format: TrackRecord.Format
  /// Length in milliseconds; 0 if it is unknown.
  private let length: Int64

  /// The file with a path; nil if the index has no readable file there.
  init?(_ path: String, in database: Database) throws(LibraryFault) {
    var found: IndexedFile?
    try database.rows(
      "SELECT artist, album, albumartist, genre, date, disc, length, rate, bits, channels FROM track "
        + "WHERE path = ? AND " + LibrarySQL.readable.text, [.text(path)]
    ) { (row) throws(LibraryFault) in found = IndexedFile(row) }
    guard let found else { return nil }
    self = found
  }

  private init(_ row: Statement) {
    var tags = StreamInfo.Tags()
    for (column, tag) in [TextTag.artist, .album, .albumArtist, .genre, .date].enumerated() {
      tags[tag] = LibraryIndex.values(row.text(Int32(column)))
    }
    tags.discNumber = row.integer(5) > 0 ? Int(row.integer(5)) : nil
    self.tags = tags
    length = row.integer(6)
    format = TrackRecord.Format(rate: row.integer(7), bits: row.integer(8), channels: row.integer(9))
  }

  /// Length of a section in milliseconds; 0 if it is unknown.
  func length(of section: FileSection?) -> Int64 {
    guard let section else { return length }
    let milliseconds = { (frame: Int) in Int64(frame) * 1000 / FileSection.framesPerSecond }
    let start = milliseconds(section.start)
    guard let end = section.end.map(milliseconds) ?? (length > 0 ? length : nil) else { return 0 }
    return max(0, end - start)
  }
}
