// Formats `playlist show`: tracks with data from the playlist and tags from the media index. Pure functions; control
// thread.

import Console
import Library
import PlaybackModel

/// A page of a playlist.
struct PlaylistRows {
  /// Index fields by absolute path of the file.
  typealias Known = [String: [LibraryField]]

  private let name: String
  private let tracks: [Track]
  private let range: Range<Int>

  /// Selects a page.
  ///
  /// - Parameters:
  ///   - tracks: The playlist's tracks.
  ///   - name: Name or path of the playlist.
  ///   - start: Index of the first entry.
  ///   - count: Number of entries.
  init(_ tracks: [Track], of name: String, from start: Int, count: Int) {
    self.name = name
    self.tracks = tracks
    let first = min(start, tracks.count)
    range = first..<min(first + count, tracks.count)
  }

  /// Paths to look up. The index covers whole files, not the parts that a cue sheet defines.
  var files: [String] {
    range.compactMap {
      tracks[$0].isWholeFile ? tracks[$0].path : nil
    }
  }

  /// The reply.
  ///
  /// - Parameters:
  ///   - known: Tags from the media index.
  ///   - rate: Sample rate to convert the length of opened tracks.
  func reply(_ known: Known, rate: SampleRate) -> Reply {
    let rows = range.map { row($0, tracks[$0].section == nil ? known[tracks[$0].path] ?? [] : [], rate) }
    let more =
      range.upperBound < tracks.count && !range.isEmpty
      ? "; '" + CommandLineText.line(of: ["playlist", "show", name, String(range.upperBound + 1)])
        + "' continues" : ""
    return .ok(
      Answer(
        "\(tracks.count) \(tracks.count == 1 ? "track" : "tracks")" + more,
        fields: [Field("tracks", tracks.count)], rows: rows))
  }

  private func row(_ index: Int, _ known: [LibraryField], _ rate: SampleRate) -> Row {
    var track = tracks[index]
    func text(_ name: String) -> String? { known.first { $0.name == name }?.value }
    // Titles in the playlist take precedence over tags.
    track.title = track.title ?? text("title")
    track.artist = track.artist ?? text("artist")
    track.album = track.album ?? text("album")
    track.trackNumber = track.trackNumber ?? text("number").flatMap { Int($0) }
    var fields = [
      Field("position", index + 1), Field("title", track.displayName), Field("path", track.path),
      Field("artist", track.artist.map { .text($0) } ?? .none),
      Field("album", track.album.map { .text($0) } ?? .none),
      Field("number", track.trackNumber.map { .integer($0) } ?? .none),
      Field("length", length(of: track, known, rate)),
    ]
    // Omit the individual values of a tag (such as several artists) if the playlist overrides that tag.
    let named = [("title", track.title), ("artist", track.artist), ("album", track.album)]
    let others = named.filter { $0.1 != text($0.0) }.map { LibraryField.several($0.0) }
    fields += LibraryRows.fields(
      known.filter { field in
        ["albumartist", "genre", "date", "disc", "modified", "format"].contains(field.name)
          || field.isOneOfSeveral && !others.contains(field.name)
      })
    return Row("\(index + 1) \(track.displayName)", fields)
  }

  private func length(of track: Track, _ known: [LibraryField], _ rate: SampleRate) -> FieldValue {
    if let field = known.first(where: { $0.name == "length" }) { return LibraryRows.value(field) }
    if let length = track.length { return .decimal(rate.seconds(length).value, decimals: 3) }
    guard let section = track.section, let end = section.end else { return .none }
    return .decimal(Double(end - section.start) / Double(FileSection.framesPerSecond), decimals: 3)
  }
}
