// Music file name extensions and the codec for each. Pure values; any thread.

/// A kind of music file.
package struct MusicKind: Hashable, Sendable {
  /// Name of the codec's plugin, as in `swiftlet codecs`.
  package let codec: String
  /// File name extensions: lower case, without the dot.
  package let endings: [String]
  /// The Debian package with the plugin.
  package var debianPackage: String { Self.debianPackage(ofCodec: codec) }

  /// The kinds that are collected from folders. A file that is named explicitly is always tried.
  package static let all = [
    MusicKind(codec: "PCM", endings: ["wav", "wave", "aif", "aiff", "aifc"]),
    MusicKind(codec: "FLAC", endings: ["flac"]),
    MusicKind(codec: "Vorbis", endings: ["ogg", "oga"]),
    MusicKind(codec: "Opus", endings: ["opus"]),
    MusicKind(codec: "MPEG", endings: ["mp3", "mp2", "mp1", "mpga"]),
    MusicKind(codec: "AAC", endings: ["m4a", "m4b", "mp4", "aac"]),
    MusicKind(codec: "WavPack", endings: ["wv"]),
  ]

  /// The Debian package with a codec's plugin.
  package static func debianPackage(ofCodec codec: String) -> String {
    switch codec {
    case "AAC": "swiftlet-codec-aac"
    case "WavPack": "swiftlet-codec-wavpack"
    default: "swiftlet"
    }
  }

  private static let sheetHolders = ["flac", "fla", "oga", "ogg", "opus"]

  /// Whether a file with this name may contain an embedded cue sheet.
  package static func mayHoldSheet(_ path: String) -> Bool {
    ending(of: path).map { sheetHolders.contains($0) } ?? false
  }

  /// The kind with a lower-case extension; nil if there is none. Only a hint: the content decides.
  package static func of(ending: String) -> MusicKind? { all.first { $0.endings.contains(ending) } }

  /// The kind of a path by its extension, in upper or lower case.
  package static func of(path: String) -> MusicKind? { ending(of: path).flatMap { of(ending: $0) } }

  /// The extension in lower case without the dot; nil if there is none within the last six bytes.
  private static func ending(of path: String) -> String? {
    let bytes = path.utf8.suffix(6)
    guard let dot = bytes.lastIndex(of: 0x2E) else { return nil }
    let small = bytes[bytes.index(after: dot)...].map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 }
    return String(decoding: small, as: UTF8.self)
  }
}
