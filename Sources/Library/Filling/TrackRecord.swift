// A row of the index: what a sandboxed worker says of a file. The filling process; waits for the worker.

import Decoding
import Media
import PlaybackModel
import Platform

/// What tells a file from what it was before.
struct FileStamp: Hashable {
  let modified: Int64
  let size: Int64
  let file: Int64
}

extension FileStamp {
  init(_ status: FileStatus) {
    self.init(
      modified: status.modified, size: Int64(status.size),
      file: Int64(truncatingIfNeeded: status.identity.file))
  }
}

/// What is kept of one file.
struct TrackRecord {
  let values: [DatabaseValue]
  /// Whether it may be another one tomorrow though the file stays as it is: its storage, and not the file, is to blame.
  let isPassing: Bool

  static let sql = """
    INSERT INTO track VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
    ON CONFLICT(path) DO UPDATE SET modified=excluded.modified, size=excluded.size, file=excluded.file,
    title=excluded.title, artist=excluded.artist, album=excluded.album, albumartist=excluded.albumartist,
    genre=excluded.genre, date=excluded.date, disc=excluded.disc,
    number=excluded.number, length=excluded.length, rate=excluded.rate, bits=excluded.bits,
    channels=excluded.channels, small_title=excluded.small_title, small_artist=excluded.small_artist,
    small_album=excluded.small_album, small_albumartist=excluded.small_albumartist,
    small_genre=excluded.small_genre, fault=excluded.fault
    """

  /// Looks into a file. One that cannot be read is kept with the reason, so that it is not looked into again before it changes.
  init(reading path: String, in folder: String, _ stamp: FileStamp, now: Int64, _ roots: MediaRoots) {
    do throws(WorkerFailure) {
      self.init(path, in: folder, stamp, now: now, try Self.probe(path, within: roots), fault: "")
    } catch {
      let isPassing: Bool
      switch error.kind {
      case .missing, .away, .unreadable, .decoderHung, .internalError, .network, .refused: isPassing = true
      case .unsupportedFormat, .corrupt, .protected, .decoderCrashed, .decoderBrokeSandbox: isPassing = false
      }
      // No file was written before 1970, so it is looked into again the next time.
      let stamp = isPassing ? FileStamp(modified: -1, size: stamp.size, file: stamp.file) : stamp
      self.init(path, in: folder, stamp, now: now, nil, fault: error.sentence, isPassing: isPassing)
    }
  }

  /// What is known of a file.
  init(
    _ path: String, in folder: String, _ stamp: FileStamp, now: Int64, _ info: StreamInfo?, fault: String,
    isPassing: Bool = false
  ) {
    self.isPassing = isPassing
    let tags = info?.tags ?? StreamInfo.Tags()
    let name = MediaList.withoutExtension(Track(id: 0, path: path).displayName)
    values = [
      .text(path), .text(folder), .bytes(OrderKey.of(path)), .integer(stamp.modified), .integer(stamp.size),
      .integer(stamp.file), .integer(now),
      .text(tags.title), .text(tags.artist), .text(tags.album), .text(tags.albumArtist),
      .text(tags.genre), .text(tags.date), .integer(Int64(tags.discNumber ?? 0)),
      .integer(Int64(tags.trackNumber ?? 0)), .integer(info.map { Self.milliseconds($0) } ?? 0),
      .integer(Int64(info?.sourceRate ?? 0)), .integer(Int64(info?.bits ?? 0)),
      .integer(Int64(info?.channels ?? 0)),
      // Where there is no title people look for the file's name.
      .text(TextFolding.folded(tags.title.utf8.isEmpty ? name : tags.title)),
      .text(TextFolding.folded(tags.artist)), .text(TextFolding.folded(tags.album)),
      .text(TextFolding.folded(tags.albumArtist)), .text(TextFolding.folded(tags.genre)), .text(fault),
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
