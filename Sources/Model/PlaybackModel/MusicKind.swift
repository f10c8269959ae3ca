// What names of music files end in, and which codec plays those. Pure values; any thread.

/// A kind of music file.
package struct MusicKind: Hashable, Sendable {
  /// The codec's plugin, as `swiftlet codecs` lists it.
  package let codec: String
  /// What its files' names end in: small letters, without the dot.
  package let endings: [String]
  /// Debian's package that holds the plugin.
  package var debianPackage: String { Self.debianPackage(ofCodec: codec) }

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

  /// Debian's package that holds a codec's plugin.
  package static func debianPackage(ofCodec codec: String) -> String {
    switch codec {
    case "AAC": "swiftlet-codec-aac"
    case "WavPack": "swiftlet-codec-wavpack"
    default: "swiftlet"
    }
  }

  private static let sheetHolders = ["flac", "fla", "oga", "ogg", "opus"]

  /// Whether a file of that name may hold a cue sheet in itself.
  package static func mayHoldSheet(_ path: String) -> Bool {
    ending(of: path).map { sheetHolders.contains($0) } ?? false
  }

  /// The kind that a name's ending, in small letters, speaks for; nil for none. A hint, nothing more: the content decides.
  package static func of(ending: String) -> MusicKind? { all.first { $0.endings.contains(ending) } }

  /// The same for a path, in whatever letters.
  package static func of(path: String) -> MusicKind? { ending(of: path).flatMap { of(ending: $0) } }

  /// A name's ending in small letters, without the dot; nil where it has none, or one that no kind has.
  private static func ending(of path: String) -> String? {
    let bytes = path.utf8.suffix(6)
    guard let dot = bytes.lastIndex(of: 0x2E) else { return nil }
    let small = bytes[bytes.index(after: dot)...].map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    return String(decoding: small, as: UTF8.self)
  }
}
