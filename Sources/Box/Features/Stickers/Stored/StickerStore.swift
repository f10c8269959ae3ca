// Stickers (data that MPD clients store for songs), and their text file. Pure values; control thread.

/// The reason why a sticker cannot be saved.
package enum StickerFault: Error, Hashable, Sendable {
  /// The file would exceed its size limit.
  case full
}

/// A named value that a client has attached to a song.
package struct Sticker: Hashable, Sendable {
  /// The name.
  package let name: String
  /// The value.
  package let value: String

  /// Creates a sticker.
  package init(_ name: String, _ value: String) {
    self.name = name
    self.value = value
  }
}

/// The stickers of all songs.
package struct StickerStore: KeptContents {
  package static var noun: String { "sticker" }
  /// The most bytes of a name.
  package static let maxNameLength = 64
  /// The most bytes of a value.
  package static let maxValueLength = 1024
  /// The most bytes of a path.
  package static let maxPathLength = 4096
  /// The most bytes of the file.
  package static let maxFileBytes = 1 << 20
  private static let head =
    "# Swiftlet's stickers: what clients of MPD have written about songs; song, name and value by turns."

  /// Songs with stickers, sorted by the bytes of their paths.
  package private(set) var songs: [(path: String, stickers: [Sticker])] = []
  /// The size of the file in bytes.
  package private(set) var size = Self.head.utf8.count + 1
  /// The song that following lines of the file belong to.
  private var reading: String?

  /// Creates an empty store.
  package init() {}

  package static func == (one: StickerStore, other: StickerStore) -> Bool {
    one.size == other.size && one.songs.count == other.songs.count
      && zip(one.songs, other.songs).allSatisfy { $0.path == $1.path && $0.stickers == $1.stickers }
  }

  /// The stickers of a song.
  package subscript(path: String) -> [Sticker] {
    let (place, isThere) = place(of: path)
    return isThere ? songs[place].stickers : []
  }

  /// The index of a song, or the index at which to insert it.
  private func place(of path: String) -> (place: Int, isThere: Bool) {
    var (low, high) = (0, songs.count)
    while low < high {
      let middle = (low + high) / 2
      if songs[middle].path.utf8.lexicographicallyPrecedes(path.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    return (low, low < songs.count && songs[low].path.utf8.elementsEqual(path.utf8))
  }

  /// Sets a sticker of a song, replacing one of the same name.
  ///
  /// - Throws: `full` if there is no room; nothing is changed then.
  package mutating func set(_ sticker: Sticker, on path: String) throws(StickerFault) {
    let (place, isThere) = place(of: path)
    let former = isThere ? songs[place].stickers : []
    var stickers = former
    if let place = stickers.firstIndex(where: { $0.name == sticker.name }) {
      stickers[place] = sticker
    } else {
      stickers.append(sticker)
    }
    let size = size - Self.lines(path, former).count + Self.lines(path, stickers).count
    guard size <= Self.maxFileBytes else { throw .full }
    self.size = size
    if isThere { songs[place].stickers = stickers } else { songs.insert((path, stickers), at: place) }
  }

  /// Removes a sticker from a song; a nil name removes all.
  ///
  /// - Returns: False if there is none.
  package mutating func remove(_ name: String?, from path: String) -> Bool {
    let (place, isThere) = place(of: path)
    guard isThere else { return false }
    let left = name == nil ? [] : songs[place].stickers.filter { $0.name != name }
    guard left.count < songs[place].stickers.count else { return false }
    size += Self.lines(path, left).count - Self.lines(path, songs[place].stickers).count
    songs[place].stickers = left
    if left.isEmpty { songs.remove(at: place) }
    return true
  }

  // MARK: The file

  package var text: [UInt8] {
    var bytes = Array((Self.head + "\n").utf8)
    for song in songs { bytes += Self.lines(song.path, song.stickers) }
    return bytes
  }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool {
    guard let blank = line.firstIndex(of: 0x20) else { return false }
    let rest = line[(blank + 1)...]
    switch String(decoding: line[..<blank], as: UTF8.self) {
    case "song":
      reading = EscapedText.read(rest, longest: Self.maxPathLength)
      return reading != nil
    case "sticker":
      // Names contain no equals sign.
      guard let reading, let sign = rest.firstIndex(of: 0x3D),
        let name = EscapedText.read(rest[..<sign], longest: Self.maxNameLength), !name.utf8.isEmpty,
        let value = EscapedText.read(rest[(sign + 1)...], longest: Self.maxValueLength),
        (try? set(Sticker(name, value), on: reading)) != nil
      else { return false }
      return true
    default: return false
    }
  }

  private static func lines(_ path: String, _ stickers: [Sticker]) -> [UInt8] {
    guard !stickers.isEmpty else { return [] }
    var bytes = Array("song ".utf8)
    EscapedText.write(path, to: &bytes)
    bytes.append(0x0A)
    for sticker in stickers {
      bytes += Array("sticker ".utf8)
      EscapedText.write(sticker.name, to: &bytes)
      bytes.append(0x3D)
      EscapedText.write(sticker.value, to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }
}
