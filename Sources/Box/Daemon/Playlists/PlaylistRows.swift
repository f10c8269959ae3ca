// The tracks of a playlist as an answer: what it knows of them itself, and what the index of the music knows besides. Pure; control thread.

import Console
import Library
import PlaybackModel

/// A page of a playlist.
struct PlaylistRows {
  /// What is known of a file, as `find` answers it, by whole path.
  typealias Known = [String: [LibraryField]]

  private let name: String
  private let tracks: [Track]
  private let range: Range<Int>

  /// Some of a playlist's tracks, from one on.
  init(_ tracks: [Track], of name: String, from start: Int, count: Int) {
    self.name = name
    self.tracks = tracks
    let first = min(start, tracks.count)
    range = first..<min(first + count, tracks.count)
  }

  /// Files of which an index may know more. It knows files, not the parts of one that a cue sheet names.
  var files: [String] {
    range.compactMap {
      tracks[$0].isWholeFile ? tracks[$0].path : nil
    }
  }

  /// The answer, with lengths of tracks that were opened counted at a rate.
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
    // A playlist may call its tracks otherwise than they do themselves.
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
    // Values of a title, an artist or an album that the playlist calls otherwise are another's.
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
