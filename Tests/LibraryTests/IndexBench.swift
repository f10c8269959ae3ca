// An index in a temporary folder, filled with generated tracks. Test threads.

import Foundation
import Testing

@testable import Decoding
@testable import Library

/// A track for the index.
struct MadeUpTrack {
  var path: String
  var title = ""
  var artist = ""
  var album = ""
  var albumArtist = ""
  var number: Int?
  var genre = ""
  var date = ""
  var disc: Int?
  var seconds = 1
  var fault = ""
  /// Multi-valued tags.
  var several: [TextTag: [String]] = [:]

  var info: StreamInfo {
    var tags = StreamInfo.Tags()
    (tags.title, tags.artist, tags.album, tags.albumArtist) = (title, artist, album, albumArtist)
    (tags.trackNumber, tags.discNumber) = (number, disc)
    (tags.genre, tags.date) = (genre, date)
    for (tag, values) in several { tags[tag] = values }
    return StreamInfo(
      sourceRate: 44100, channels: 2, bits: 16, isFloat: false, sourceFrames: Int64(44100 * seconds),
      totalFrames: nil, canSeek: true, isSandboxed: true, format: "FLAC", codec: "flac", tags: tags,
      loudness: StreamInfo.Loudness())
  }
}

final class IndexBench {
  let folder: URL
  var file: String { folder.appendingPathComponent("library").path }
  let index: LibraryIndex

  init(_ tracks: [MadeUpTrack] = []) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(
      "swiftlet-library-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    index = try LibraryIndex.openOrMake(folder.appendingPathComponent("library").path)
    try index.database.run("BEGIN")
    for (i, track) in tracks.enumerated() { try tell(track, number: Int64(i)) }
    try index.database.run("COMMIT")
  }

  /// Adds or updates a track in the index.
  func tell(_ track: MadeUpTrack, number: Int64 = 0) throws {
    let record = TrackRecord(
      track.path, in: (track.path as NSString).deletingLastPathComponent,
      FileStamp(modified: 1_700_000_000 + number, nanoseconds: 0, size: 1, file: number), now: 1_800_000_000,
      track.fault.isEmpty ? track.info : nil, fault: track.fault)
    try record.store(in: index.database)
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// The rows of a response, and the total number.
  func ask(
    _ verb: LibraryVerb, _ words: [String], within roots: [String] = ["/music"]
  ) throws -> (rows: [[String: String]], total: Int) {
    let answer = try index.answer(to: try LibraryQuestion(verb, words), within: roots)
    // Decoded from the bytes that the process would send.
    guard case .rows(let rows, let total)? = LibraryAnswer(answer.bytes) else {
      Issue.record("\(answer)")
      return ([], 0)
    }
    return (rows.map { Dictionary($0.map { ($0.name, $0.value) }) { $1 } }, total)
  }

  /// The names of the files that are found.
  func names(_ verb: LibraryVerb, _ words: [String], within roots: [String] = ["/music"]) throws -> [String] {
    try ask(verb, words, within: roots).rows.map { (($0["path"] ?? "") as NSString).lastPathComponent }
  }
}
