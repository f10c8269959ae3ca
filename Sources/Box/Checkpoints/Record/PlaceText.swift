// The format of positions in tracks in state files: `61234 [START-END] /path`. Pure; any thread.

import PlaybackModel

/// A position in milliseconds, optionally the section of a file with start and end in 1/75 s, and the escaped
/// path.
enum PlaceText {
  /// Appends a position.
  static func write(_ place: TrackPlace, to bytes: inout [UInt8]) {
    bytes += Array(String(Int64(place.position.value * 1000 + 0.5)).utf8)
    bytes.append(0x20)
    writePart(place.section, place.path, to: &bytes)
  }

  /// Appends a file, or a section of one.
  static func writePart(_ section: FileSection?, _ path: String, to bytes: inout [UInt8]) {
    if let section {
      // Paths never begin with a digit, so lines without a section, from earlier versions, are unambiguous.
      bytes += Array((String(section.start) + "-" + (section.end.map { String($0) } ?? "") + " ").utf8)
    }
    EscapedText.write(path, to: &bytes)
  }

  /// Parses what `write` produces; nil if it is invalid or the path has more than `longest` bytes.
  static func read(_ line: ArraySlice<UInt8>, longest: Int) -> TrackPlace? {
    guard let blank = line.firstIndex(of: 0x20), blank > line.startIndex, blank - line.startIndex <= 12,
      line[..<blank].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let milliseconds = Int64(String(decoding: line[..<blank], as: UTF8.self))
    else { return nil }
    guard let (section, path) = readPart(line[(blank + 1)...], longest: longest) else { return nil }
    return TrackPlace(path: path, section: section, position: Seconds(Double(milliseconds) / 1000))
  }

  /// Parses what `writePart` produces; nil if it is invalid.
  static func readPart(_ text: ArraySlice<UInt8>, longest: Int) -> (section: FileSection?, path: String)? {
    var rest = text
    var section: FileSection?
    if let first = text.first, first >= 0x30, first <= 0x39 {
      guard let end = text.firstIndex(of: 0x20), let found = self.section(text[..<end]) else { return nil }
      section = found
      rest = text[(end + 1)...]
    }
    return EscapedText.read(rest, longest: longest).map { (section, $0) }
  }

  /// Parses `START-END` or `START-`.
  private static func section(_ text: ArraySlice<UInt8>) -> FileSection? {
    guard let dash = text.firstIndex(of: 0x2D), text.count <= 24,
      text.allSatisfy({ ($0 >= 0x30 && $0 <= 0x39) || $0 == 0x2D }),
      let start = Int(String(decoding: text[..<dash], as: UTF8.self))
    else { return nil }
    let rest = text[(dash + 1)...]
    guard !rest.isEmpty else { return FileSection(start: start, end: nil) }
    return Int(String(decoding: rest, as: UTF8.self)).flatMap { FileSection(start: start, end: $0) }
  }
}
