// Where long tracks were left, and the text file that keeps it. Pure values; control thread.

import PlaybackModel

/// The places in long tracks, by path and section: at most 256, the one set longest ago goes first.
package struct Bookmarks: KeptContents {
  /// One place.
  package struct Entry: Equatable, Sendable {
    /// The track's path.
    package let path: String
    /// Which part of the file the track is; nil for all of it.
    package let section: FileSection?
    /// The position, to the millisecond, from the section's beginning.
    package let position: Seconds
  }

  package static var noun: String { "bookmark" }
  /// Most entries.
  package static let most = 256
  /// Bytes of a path at most; a track with a longer one is not remembered.
  package static let longestPath = 4096
  /// Bytes of a file at most: more than it can hold with every byte of every path written as three.
  package static let longestFile = 256 * (3 * 4096 + 64) + 256
  private static let head =
    "# Where Swiftlet goes on: milliseconds, of a cue sheet's track its beginning and end in 1/75 s, path."

  /// The places, the one set last at the end.
  package private(set) var entries: [Entry] = []

  /// None.
  package init() {}

  /// The position in a track; nil if there is none.
  package func position(of path: String, section: FileSection? = nil) -> Seconds? {
    entries.first { $0.path == path && $0.section == section }?.position
  }

  /// Sets a track's position.
  package mutating func set(_ path: String, section: FileSection? = nil, to position: Seconds) {
    guard path.utf8.count <= Self.longestPath, !path.utf8.isEmpty else { return }
    remove(path, section: section)
    if entries.count == Self.most { entries.removeFirst() }
    let milliseconds = Int64(max(0, min(position.value, 1e8)) * 1000 + 0.5)
    entries.append(Entry(path: path, section: section, position: Seconds(Double(milliseconds) / 1000)))
  }

  /// Forgets a track.
  package mutating func remove(_ path: String, section: FileSection? = nil) {
    entries.removeAll { $0.path == path && $0.section == section }
  }

  /// Forgets all.
  package mutating func clear() { entries = [] }

  /// The file's contents: a line an entry, with control characters, `%` and what is no ASCII as `%XX`.
  package var text: [UInt8] {
    var bytes = Array(Self.head.utf8)
    bytes.append(0x0A)
    for entry in entries {
      bytes += Array(String(Int64(entry.position.value * 1000 + 0.5)).utf8)
      bytes.append(0x20)
      if let section = entry.section {
        // No path begins with a digit: files from before there were sections read the same.
        bytes += Array((String(section.start) + "-" + (section.end.map { String($0) } ?? "") + " ").utf8)
      }
      EscapedText.write(entry.path, to: &bytes)
      bytes.append(0x0A)
    }
    return bytes
  }

  /// Reads a file's contents. Lines that make no sense are skipped, and their numbers told.
  package static func read(_ text: [UInt8]) -> (contents: Bookmarks, badLines: [Int]) {
    var bookmarks = Bookmarks()
    var bad: [Int] = []
    var number = 0
    for line in text.prefix(longestFile).split(separator: 0x0A, omittingEmptySubsequences: false) {
      number += 1
      guard !line.isEmpty, line.first != 0x23 else { continue }
      if let entry = entry(line) {
        bookmarks.set(entry.path, section: entry.section, to: entry.position)
      } else if bad.count < 10 {
        bad.append(number)
      }
    }
    return (bookmarks, bad)
  }

  private static func entry(_ line: ArraySlice<UInt8>) -> Entry? {
    guard let blank = line.firstIndex(of: 0x20), blank > line.startIndex, blank - line.startIndex <= 12,
      line[..<blank].allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }),
      let milliseconds = Int64(String(decoding: line[..<blank], as: UTF8.self))
    else { return nil }
    var i = blank + 1
    var section: FileSection?
    if i < line.endIndex, line[i] != 0x2F {
      guard let end = line[i...].firstIndex(of: 0x20), let found = self.section(line[i..<end]) else {
        return nil
      }
      section = found
      i = end + 1
    }
    guard let path = EscapedText.read(line[i...], longest: longestPath), path.utf8.first == 0x2F else {
      return nil
    }
    return Entry(path: path, section: section, position: Seconds(Double(milliseconds) / 1000))
  }

  /// `START-END` or `START-`.
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
