// Formats `library queue`: the queue's entries with their tags from the media index. Pure functions; control thread.

import Console
import Library
import PlaybackModel

/// A page of the queue.
struct QueueTagRows {
  private let tracks: ArraySlice<Track>
  private let total: Int

  /// Selects a page.
  ///
  /// - Parameters:
  ///   - tracks: The queue.
  ///   - start: Index of the first entry.
  ///   - count: Number of entries; nil: one page.
  init(_ tracks: [Track], from start: Int, count: Int?) {
    total = tracks.count
    self.tracks = tracks.dropFirst(start).prefix(count ?? Answer.pageRows)
  }

  /// Paths to look up. The index covers whole files, not the parts that a cue sheet defines.
  var files: [String] {
    tracks.compactMap { $0.isWholeFile ? $0.path : nil }
  }

  /// The reply, with position, path and known tags of each entry.
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
  /// Whether the track is a whole local file, as in the media index.
  var isWholeFile: Bool { section == nil && path.utf8.first == 0x2F }
}
