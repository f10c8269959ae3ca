// Replaces paths in flight reports by short pseudonyms, so that a report does not disclose what its user plays. Pure;
// any thread; only `text` allocates.

import Platform
import PlaybackModel

/// A pseudonym such as `track-3f2a91.flac`, the same for the same path during one run. The hash is salted, and the
/// salt is in no report, so names cannot be guessed by hashing candidates.
package struct FlightName: Hashable, Sendable {
  /// The encoded name: bits 0 to 23 are a hash, bits 24 to 31 the number of the extension.
  package let code: Int64

  /// A name as read from a record; any value is valid.
  package init(code: Int64) { self.code = code }

  /// The pseudonym of a path.
  ///
  /// - Parameters:
  ///   - path: The path.
  ///   - part: Distinguishes sections of one file.
  ///   - salt: The recorder's salt.
  package init(_ path: String, part: UInt64 = 0, salt: UInt64) {
    var hash = StableHash()
    hash.add(salt)
    hash.add(path)
    hash.add(part)
    let folded = hash.value ^ (hash.value >> 24) ^ (hash.value >> 48)
    code = Int64(folded & 0xFF_FFFF) | Int64(Self.ending(of: path)) << 24
  }

  /// The pseudonym of a track.
  package init(_ track: Track, salt: UInt64) {
    let start = track.section.map { UInt64($0.start) + 1 } ?? 0
    self.init(track.path, part: start, salt: salt)
  }

  /// Only well-known extensions are shown, since an unusual one can identify a file.
  private static let music: [StaticString] = [
    "wav", "flac", "ogg", "oga", "opus", "mp3", "mp2", "aiff", "aif", "aifc", "m4a", "m4b", "aac", "wv",
    "w64", "au", "mp4",
  ]
  private static let endings: [StaticString] = music + ["m3u", "m3u8", "pls", "xspf", "cue"]

  /// The number of a known extension, counted from 1; 0 for any other.
  private static func ending(of path: String) -> Int {
    let bytes = path.utf8
    guard let dot = bytes.lastIndex(of: 0x2E) else { return 0 }
    let found = bytes[bytes.index(after: dot)...]
    for (place, ending) in endings.enumerated() where found.count == ending.utf8CodeUnitCount {
      let isSame = ending.withUTF8Buffer { known in
        found.elementsEqual(known) { byte, small in byte.asciiLowercased == small }
      }
      if isSame { return place + 1 }
    }
    return 0
  }

  /// The pseudonym as shown in reports.
  package var text: String {
    let digits = String(code & 0xFF_FFFF, radix: 16)
    let number = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    let ending = Int(code >> 24 & 0xFF)
    guard ending > 0, ending <= Self.endings.count else { return "name-" + number }
    let kind = ending > Self.music.count ? "list-" : "track-"
    return kind + number + "." + Self.endings[ending - 1].description
  }
}
