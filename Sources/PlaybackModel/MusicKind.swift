// What names of music files end in, and which codec plays those. Pure values; any thread.

/// A kind of music file.
package struct MusicKind: Hashable, Sendable {
  /// The codec's plugin, as `swiftlet codecs` lists it.
  package let codec: String
  /// What its files' names end in: small letters, without the dot.
  package let endings: [String]
  /// Debian's package that holds the plugin.
  package var debianPackage: String {
    switch codec {
    case "AAC": "swiftlet-codec-aac"
    case "WavPack": "swiftlet-codec-wavpack"
    default: "swiftlet"
    }
  }

  /// Those that are picked up in folders. A file that is named itself is always tried.
  package static let all = [
    MusicKind(codec: "PCM", endings: ["wav", "wave", "aif", "aiff", "aifc"]),
    MusicKind(codec: "FLAC", endings: ["flac"]),
    MusicKind(codec: "Vorbis", endings: ["ogg", "oga"]),
    MusicKind(codec: "Opus", endings: ["opus"]),
    MusicKind(codec: "MPEG", endings: ["mp3", "mp2", "mp1", "mpga"]),
    MusicKind(codec: "AAC", endings: ["m4a", "m4b", "mp4", "aac"]),
    MusicKind(codec: "WavPack", endings: ["wv"]),
  ]

  /// Endings of files that may hold a cue sheet in themselves: small letters, with the dot.
  package static let sheetHolders = [".flac", ".fla", ".oga", ".ogg", ".opus"]

  /// The kind that a name's ending, in small letters, speaks for; nil for none. A hint, nothing more: the content decides.
  package static func of(ending: String) -> MusicKind? { all.first { $0.endings.contains(ending) } }

  /// The same for a path, in whatever letters.
  package static func of(path: String) -> MusicKind? {
    let bytes = path.utf8.suffix(6)
    guard let dot = bytes.lastIndex(of: 0x2E) else { return nil }
    let small = bytes[bytes.index(after: dot)...].map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    return of(ending: String(decoding: small, as: UTF8.self))
  }
}
