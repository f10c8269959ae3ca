// Saved playlists, and their text file. Pure values; control thread.

import PlaybackModel

/// The reason why a playlist cannot be saved.
package enum PlaylistFault: Error, Hashable, Sendable {
  /// The maximum number of playlists is reached.
  case tooMany
  /// The playlist has more tracks than a queue can hold.
  case tooLong
  /// The file would exceed its size limit.
  case full
}

/// The saved playlists of a box, in the order of creation.
package struct PlaylistStore: KeptContents {
  /// A saved playlist.
  package struct Playlist: Equatable, Sendable {
    /// The playlist's name.
    package fileprivate(set) var name: PlaylistName
    /// The tracks with their known tags, without ids.
    package fileprivate(set) var tracks: [Track]
    /// The time of the last change in seconds since 1970; nil if the clock was not set.
    package fileprivate(set) var modified: Int64?
  }

  package static var noun: String { "playlist" }
  /// The most playlists.
  package static let maxCount = 256
  /// The most bytes of a path or tag; longer ones are dropped.
  package static let maxTextLength = 4096
  package static let maxFileBytes = 2 << 20
  private static let head =
    "# Swiftlet's playlists: each begins with its name (list); what is known of a file follows it."

  /// The playlists.
  package private(set) var playlists: [Playlist] = []
  /// The size of the file in bytes.
  private var size = Self.head.utf8.count + 1
  /// The index of the playlist that following lines of the file belong to; nil: none.
  private var reading: Int?

  /// Creates an empty store.
  package init() {}

  package static func == (one: PlaylistStore, other: PlaylistStore) -> Bool {
    one.playlists == other.playlists
  }

  /// The playlist of a name; nil if there is none.
  package subscript(name: PlaylistName) -> Playlist? { playlists.first { $0.name == name } }

  /// Saves tracks under a name, replacing a playlist of that name.
  ///
  /// - Parameters:
  ///   - name: The playlist's name.
  ///   - tracks: The tracks.
  ///   - time: The current time in seconds since 1970; nil if the clock is not set.
  /// - Throws: The reason if there is no room; nothing is changed then.
  package mutating func set(
    _ name: PlaylistName, to tracks: [Track], at time: Int64? = nil
  ) throws(PlaylistFault) {
    guard tracks.count <= PlayQueue.limit else { throw .tooLong }
    var kept: [Track] = []
    for track in tracks where Self.fits(track.path) { kept.append(Self.kept(track)) }
    let playlist = Playlist(name: name, tracks: kept, modified: time)
    let place = playlists.firstIndex { $0.name == name }
    guard place != nil || playlists.count < Self.maxCount else { throw .tooMany }
    let former = place.map { Self.lines(of: playlists[$0]).count } ?? 0
    let size = size - former + Self.lines(of: playlist).count
    guard size <= Self.maxFileBytes else { throw .full }
    self.size = size
    if let place { playlists[place] = playlist } else { playlists.append(playlist) }
  }

  /// Renames a playlist. The new name must be unused.
  package mutating func rename(_ name: PlaylistName, to other: PlaylistName) throws(PlaylistFault) {
    guard let place = playlists.firstIndex(where: { $0.name == name }) else { return }
    var playlist = playlists[place]
    playlist.name = other
    guard replace(place, with: playlist) else { throw .full }
  }

  /// Replaces the playlist at an index.
  ///
  /// - Returns: False if there is no room; nothing is changed then.
  private mutating func replace(_ place: Int, with playlist: Playlist) -> Bool {
    let size = size - Self.lines(of: playlists[place]).count + Self.lines(of: playlist).count
    guard size <= Self.maxFileBytes else { return false }
    self.size = size
    playlists[place] = playlist
    return true
  }

  /// Removes a playlist.
  package mutating func remove(_ name: PlaylistName) {
    guard let place = playlists.firstIndex(where: { $0.name == name }) else { return }
    size -= Self.lines(of: playlists[place]).count
    playlists.remove(at: place)
  }

  // MARK: The file

  package var text: [UInt8] {
    var bytes = Array((Self.head + "\n").utf8)
    for playlist in playlists { bytes += Self.lines(of: playlist) }
    return bytes
  }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool {
    guard let blank = line.firstIndex(of: 0x20) else { return false }
    let rest = line[(blank + 1)...]
    let word = String(decoding: line[..<blank], as: UTF8.self)
    if word == "list" { return begin(rest) }
    if word == "changed" { return note(rest) }
    guard let reading, var track = track(word, rest, playlists[reading].tracks.last) else { return false }
    track = Self.kept(track)
    let isNew = word == "file"
    let former =
      isNew ? 0 : Self.lines(of: playlists[reading].tracks[playlists[reading].tracks.count - 1]).count
    let size = size - former + Self.lines(of: track).count
    guard size <= Self.maxFileBytes else { return false }
    if isNew {
      guard playlists[reading].tracks.count < PlayQueue.limit else { return false }
      playlists[reading].tracks.append(track)
    } else {
      playlists[reading].tracks[playlists[reading].tracks.count - 1] = track
    }
    self.size = size
    return true
  }

  private mutating func begin(_ text: ArraySlice<UInt8>) -> Bool {
    reading = nil
    guard let name = EscapedText.read(text, longest: PlaylistName.maxLength).flatMap({ PlaylistName($0) }),
      self[name] == nil, (try? set(name, to: [])) != nil
    else { return false }
    reading = playlists.count - 1
    return true
  }

  /// Parses the modification time of the playlist being read.
  private mutating func note(_ text: ArraySlice<UInt8>) -> Bool {
    guard let reading, let time = Int64(String(decoding: text, as: UTF8.self)), time > 0 else { return false }
    var playlist = playlists[reading]
    playlist.modified = time
    return replace(reading, with: playlist)
  }

  /// The track after a line: a new one, or the last one with a further tag.
  private func track(_ word: String, _ rest: ArraySlice<UInt8>, _ last: Track?) -> Track? {
    if word == "file" {
      guard let (section, path) = PlaceText.readPart(rest, longest: Self.maxTextLength), Self.fits(path)
      else {
        return nil
      }
      return Track(id: 0, path: path, section: section)
    }
    guard var track = last, let text = EscapedText.read(rest, longest: Self.maxTextLength), Self.fits(text)
    else {
      return nil
    }
    switch word {
    case "title": track.title = text
    case "artist": track.artist = text
    case "album": track.album = text
    case "number":
      guard let number = Int32(text), number >= 0, text.utf8.first != 0x2B else { return nil }
      track.trackNumber = Int(number)
    default: return nil
    }
    return track
  }

  private static func fits(_ text: String) -> Bool {
    !text.utf8.isEmpty && text.utf8.count <= maxTextLength && !text.utf8.contains(0)
  }

  /// The parts of a track that are saved.
  private static func kept(_ track: Track) -> Track {
    func short(_ text: String?) -> String? { text.flatMap { fits($0) ? $0 : nil } }
    return Track(
      id: 0, path: track.path, section: track.section, title: short(track.title), artist: short(track.artist),
      album: short(track.album),
      trackNumber: track.trackNumber.flatMap { Int32(exactly: $0) }.flatMap { $0 < 0 ? nil : Int($0) })
  }

  private static func lines(of playlist: Playlist) -> [UInt8] {
    var bytes: [UInt8] = []
    write("list", playlist.name.text, to: &bytes)
    if let time = playlist.modified { write("changed", String(time), to: &bytes) }
    for track in playlist.tracks { bytes += lines(of: track) }
    return bytes
  }

  private static func lines(of track: Track) -> [UInt8] {
    var bytes = Array("file ".utf8)
    PlaceText.writePart(track.section, track.path, to: &bytes)
    bytes.append(0x0A)
    if let title = track.title { write("title", title, to: &bytes) }
    if let artist = track.artist { write("artist", artist, to: &bytes) }
    if let album = track.album { write("album", album, to: &bytes) }
    if let number = track.trackNumber { write("number", String(number), to: &bytes) }
    return bytes
  }

  private static func write(_ word: String, _ text: String, to bytes: inout [UInt8]) {
    bytes += Array((word + " ").utf8)
    EscapedText.write(text, to: &bytes)
    bytes.append(0x0A)
  }
}
