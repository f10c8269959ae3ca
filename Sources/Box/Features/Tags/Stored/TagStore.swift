// The commands of RFID tags, the last positions of their music, and their text file. Pure values; control
// thread.

import PlaybackModel

/// The tags of a box: at most 256, in the order of creation.
package struct TagStore: KeptContents {
  /// A tag with its command.
  package struct Entry: Equatable, Sendable {
    /// The tag's number.
    package let tag: TagID
    /// The command line to run.
    package let line: String
    /// The last position in the tag's music; nil: the beginning.
    package fileprivate(set) var place: TrackPlace?
  }

  package static var noun: String { "tag" }
  /// The most tags.
  package static let maxCount = 256
  /// The most bytes of a command.
  package static let maxLineLength = 512
  /// The most bytes of a path; no position is saved for a longer one.
  package static let maxPathLength = 1024
  /// The most bytes of a file: the limits above with every byte of commands and paths escaped to three.
  package static let maxFileBytes = 256 * (3 * 512 + 3 * 1024 + 2 * 48 + 64) + 256
  private static let head =
    "# Swiftlet's tags: what each does (do), where its music was left (at: milliseconds, path), and whose music is in the queue (on)."

  /// The tags.
  package private(set) var entries: [Entry] = []
  /// The tag whose command filled the queue; nil if something different did.
  package var current: TagID?

  /// Creates an empty store.
  package init() {}

  /// The entry of a tag; nil if the tag is unknown.
  package func entry(_ tag: TagID) -> Entry? { entries.first { $0.tag == tag } }

  /// Sets a tag's command.
  ///
  /// - Returns: False if the store is full or the command is invalid.
  package mutating func set(_ tag: TagID, to line: String) -> Bool {
    guard !line.utf8.isEmpty, line.utf8.count <= Self.maxLineLength else { return false }
    let entry = Entry(tag: tag, line: line, place: nil)
    if let index = entries.firstIndex(where: { $0.tag == tag }) {
      if entries[index].line != line { entries[index] = entry }
      return true
    }
    guard entries.count < Self.maxCount else { return false }
    entries.append(entry)
    return true
  }

  /// Sets the last position in a tag's music; nil resets it to the beginning.
  package mutating func leave(_ tag: TagID, at place: TrackPlace?) {
    guard let index = entries.firstIndex(where: { $0.tag == tag }) else { return }
    let isKept = place.map { !$0.path.utf8.isEmpty && $0.path.utf8.count <= Self.maxPathLength } ?? true
    entries[index].place = isKept ? place : nil
  }

  /// Removes a tag.
  package mutating func remove(_ tag: TagID) {
    entries.removeAll { $0.tag == tag }
    if current == tag { current = nil }
  }

  /// Removes all tags.
  package mutating func clear() { self = TagStore() }

  /// The file's contents: one or two lines per tag, and one for the tag whose music is in the queue.
  package var text: [UInt8] {
    var bytes = Array((Self.head + "\n").utf8)
    for entry in entries {
      bytes += Array(("do " + entry.tag.text + " ").utf8)
      EscapedText.write(entry.line, to: &bytes)
      bytes.append(0x0A)
      guard let place = entry.place else { continue }
      bytes += Array(("at " + entry.tag.text + " ").utf8)
      PlaceText.write(place, to: &bytes)
      bytes.append(0x0A)
    }
    if let current { bytes += Array(("on " + current.text + "\n").utf8) }
    return bytes
  }

  package mutating func take(line: ArraySlice<UInt8>) -> Bool {
    let parts = line.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count >= 2, let tag = TagID(String(decoding: parts[1], as: UTF8.self)) else { return false }
    switch String(decoding: parts[0], as: UTF8.self) {
    case "do" where parts.count == 3:
      return EscapedText.read(parts[2], longest: Self.maxLineLength).map { set(tag, to: $0) } ?? false
    case "at" where parts.count == 3:
      guard entry(tag) != nil, let place = PlaceText.read(parts[2], longest: Self.maxPathLength),
        !place.path.utf8.isEmpty
      else { return false }
      leave(tag, at: place)
      return true
    case "on" where parts.count == 2:
      guard entry(tag) != nil else { return false }
      current = tag
      return true
    default: return false
    }
  }
}
