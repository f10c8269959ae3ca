// The path of one track of a cue sheet: `track0003` inside the sheet, as if the sheet were a folder. Pure;
// any thread.

import Platform
import PlaybackModel

/// A track of a cue sheet, with a path such as `Album/disc.cue/track0003`, or `Album/disc.flac/track0003` for
/// an embedded sheet.
package struct SheetTrack: Hashable, Sendable {
  /// The path of the cue sheet, or of the file that contains it.
  package let sheet: String
  /// The track's position in the sheet, from 1.
  package let number: Int

  private static let prefix = Array("/track".utf8)
  private static let digits = 4

  /// Creates the name of a track.
  package init(of sheet: String, number: Int) {
    self.sheet = sheet
    self.number = number
  }

  /// Parses a path; nil if it is not a track of a cue sheet.
  package init?(_ path: String) {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: 0x2F), bytes[slash...].starts(with: Self.prefix) else { return nil }
    let digits = bytes[(slash + Self.prefix.count)...]
    guard digits.count == Self.digits, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    let sheet = String(decoding: bytes[..<slash], as: UTF8.self)
    guard number > 0, Self.isSheet(sheet) || MusicKind.mayHoldSheet(sheet) else { return nil }
    self.init(of: sheet, number: number)
  }

  private static func isSheet(_ path: String) -> Bool {
    path.utf8.suffix(4).map { $0.asciiLowercased }.elementsEqual(".cue".utf8)
  }

  /// The track's path.
  package var path: String {
    let digits = String(number)
    return sheet + "/track" + String("0000".dropLast(digits.utf8.count)) + digits
  }
}
