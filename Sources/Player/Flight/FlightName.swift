// What stands in a report for a file, a folder or a device, so that nobody learns what somebody listens to. Pure; any
// thread; allocates nothing but `text`.

import Platform
import PlaybackModel

/// The same for the same thing as long as the box runs, such as `track-3f2a91.flac`. The salt, which is in no report,
/// keeps people from trying out which names fit.
package struct FlightName: Hashable, Sendable {
  /// As it stands in a record: 24 bits of a hash, and which extension.
  package let code: Int64

  /// A name from a record; it may be anything.
  package init(code: Int64) { self.code = code }

  /// The name of a path, or of a part of that file.
  package init(_ path: String, part: UInt64 = 0, salt: UInt64) {
    var hash = StableHash()
    hash.add(salt)
    hash.add(path)
    hash.add(part)
    let folded = hash.value ^ (hash.value >> 24) ^ (hash.value >> 48)
    code = Int64(folded & 0xFF_FFFF) | Int64(Self.ending(of: path)) << 24
  }

  /// The name of a track.
  package init(_ track: Track, salt: UInt64) {
    let start = track.section.map { UInt64($0.start) + 1 } ?? 0
    self.init(track.path, part: start, salt: salt)
  }

  /// Only these are shown: an extension can be as private as a name.
  private static let music: [StaticString] = [
    "wav", "flac", "ogg", "oga", "opus", "mp3", "mp2", "aiff", "aif", "aifc", "m4a", "m4b", "aac", "wv",
    "w64", "au", "mp4",
  ]
  private static let endings: [StaticString] = music + ["m3u", "m3u8", "pls", "xspf", "cue"]

  /// 1 and up for a known ending, 0 for none.
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

  /// As people read it.
  package var text: String {
    let digits = String(code & 0xFF_FFFF, radix: 16)
    let number = String(repeating: "0", count: 6 - digits.utf8.count) + digits
    let ending = Int(code >> 24 & 0xFF)
    guard ending > 0, ending <= Self.endings.count else { return "name-" + number }
    let kind = ending > Self.music.count ? "list-" : "track-"
    return kind + number + "." + Self.endings[ending - 1].description
  }
}
