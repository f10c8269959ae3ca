// What the index of the music knows of the queue's entries, as an answer. Pure; control thread.

import Console
import Library
import PlaybackModel

/// A page of the queue, as far as files are known.
struct QueueTagRows {
  /// Rows of one list.
  private static let pageRows = 50
  private let tracks: ArraySlice<Track>
  private let total: Int

  /// Some of the queue's tracks, from one on.
  init(_ tracks: [Track], from start: Int, count: Int?) {
    total = tracks.count
    self.tracks = tracks.dropFirst(start).prefix(count ?? Self.pageRows)
  }

  /// Files of which an index may know something. It knows files, not the parts of one that a cue sheet names.
  var files: [String] {
    tracks.compactMap { $0.isWholeFile ? $0.path : nil }
  }

  /// The answer: each entry's position and path, and the fields of `find` where there are any.
  func reply(_ known: [String: [LibraryField]]) -> Reply {
    let rows = zip(tracks.indices, tracks).map { index, track in
      let fields = (track.section == nil ? known[track.path] ?? [] : []).filter { $0.name != "path" }
      return Row(
        "\(index + 1) " + (fields.isEmpty ? track.path : LibraryRows.line(fields, of: track.path)),
        [Field("position", index + 1), Field("path", track.path)]
          + LibraryRows.fields(fields))
    }
    let rest = total - tracks.endIndex
    let more = rest > 0 && !rows.isEmpty ? "; 'library queue \(tracks.endIndex + 1)' continues" : ""
    return .ok(Answer("\(total) \(total == 1 ? "track" : "tracks")" + more, rows: rows))
  }
}

extension Track {
  /// Whether it is a file, and all of it: what the index of the music has.
  var isWholeFile: Bool { section == nil && path.utf8.first == 0x2F }
}
