// What tags do and where their music was left, and the text file that keeps it. Pure values; control thread.

import PlaybackModel

/// The tags of a box: at most 256, in the order in which they were set.
package struct TagStore: KeptContents {
  /// A tag.
  package struct Entry: Equatable, Sendable {
    /// Which.
    package let tag: TagID
    /// The command that it carries out, as it is typed.
    package let line: String
    /// Where its music was left; nil: nowhere, or at its end.
    package fileprivate(set) var place: TrackPlace?
  }

  package static var noun: String { "tag" }
  /// Most tags.
  package static let maxCount = 256
  /// Bytes of a command at most.
  package static let maxLineLength = 512
  /// Bytes of a path at most; where music with a longer one was left is not remembered.
  package static let maxPathLength = 1024
  /// Bytes of a file at most: more than it can hold with every byte of every command and path written as three.
  package static let maxFileBytes = 256 * (3 * 512 + 3 * 1024 + 2 * 48 + 64) + 256
  private static let head =
    "# Swiftlet's tags: what each does (do), where its music was left (at: milliseconds, path), and whose music is in the queue (on)."

  /// The tags.
  package private(set) var entries: [Entry] = []
  /// The tag that has filled the queue; nil: it was something else.
  package var current: TagID?

  /// None.
  package init() {}

  /// A tag that is known.
  package func entry(_ tag: TagID) -> Entry? { entries.first { $0.tag == tag } }

  /// Sets what a tag does; false where there is no room, or no sense in it.
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

  /// Sets where a tag's music was left; nil: at its end.
  package mutating func leave(_ tag: TagID, at place: TrackPlace?) {
    guard let index = entries.firstIndex(where: { $0.tag == tag }) else { return }
    let isKept = place.map { !$0.path.utf8.isEmpty && $0.path.utf8.count <= Self.maxPathLength } ?? true
    entries[index].place = isKept ? place : nil
  }

  /// Forgets a tag.
  package mutating func remove(_ tag: TagID) {
    entries.removeAll { $0.tag == tag }
    if current == tag { current = nil }
  }

  /// Forgets all.
  package mutating func clear() { self = TagStore() }

  /// The file's contents: one or two lines a tag, and one for the tag whose music is in the queue.
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
