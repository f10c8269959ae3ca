// The tags of a stream, each with one or more values. A value; any thread.

import Platform

/// A tag with text values. Raw values are those of `swiftlet_tag`.
package enum TextTag: Int, Hashable, Sendable, CaseIterable {
  case title, artist, album, albumArtist, genre, date
}

extension StreamInfo {
  /// The tags of a stream; empty or nil if absent.
  package struct Tags: Hashable, Sendable {
    /// The values of each tag, indexed by the raw value of `TextTag`.
    private var texts: [[String]] = Array(repeating: [], count: TextTag.allCases.count)
    /// Track number on the album, from 1.
    package var trackNumber: Int?
    /// Disc number of the album, from 1.
    package var discNumber: Int?

    /// Creates an empty set of tags.
    package init() {}

    /// The values of a tag in the file's order. The setter drops empty and duplicate values, and those beyond
    /// `Limits`.
    package subscript(_ tag: TextTag) -> [String] {
      get { texts[tag.rawValue] }
      set {
        var kept: [String] = []
        var room = Limits.values
        for (index, other) in texts.enumerated() where index != tag.rawValue {
          room -= other.reduce(0) { $0 + $1.utf8.count }
        }
        for text in newValue where kept.count < Limits.valuesOfTag && !text.utf8.isEmpty {
          guard text.utf8.count <= room, !kept.contains(where: { $0.utf8.elementsEqual(text.utf8) }) else {
            continue
          }
          room -= text.utf8.count
          kept.append(text)
        }
        texts[tag.rawValue] = kept
      }
    }

    /// All values of a tag joined for display, such as `A, B`; cut to the length of one text field.
    package func text(_ tag: TextTag) -> String { Self.joined(self[tag]) }

    /// Joins the values of a tag for display.
    package static func joined(_ values: [String]) -> String {
      guard values.count > 1 else { return values.first ?? "" }
      return values.joined(separator: ", ").printable(limit: Limits.text - 1)
    }

    /// Track title.
    package var title: String {
      get { text(.title) }
      set { self[.title] = [newValue] }
    }
    /// Track artist.
    package var artist: String {
      get { text(.artist) }
      set { self[.artist] = [newValue] }
    }
    /// Album title.
    package var album: String {
      get { text(.album) }
      set { self[.album] = [newValue] }
    }
    /// Album artist, where it differs from the track artists.
    package var albumArtist: String {
      get { text(.albumArtist) }
      set { self[.albumArtist] = [newValue] }
    }
    /// Genre.
    package var genre: String {
      get { text(.genre) }
      set { self[.genre] = [newValue] }
    }
    /// Release date: a year, or ISO 8601.
    package var date: String {
      get { text(.date) }
      set { self[.date] = [newValue] }
    }
  }

  /// A chapter of a file.
  package struct Chapter: Hashable, Sendable {
    /// Start in milliseconds from the first frame.
    package var start: Int64
    /// End in milliseconds; nil if the file gives none, so that the chapter ends with the next one or the
    /// file.
    package var end: Int64?
    /// Title; may be empty.
    package var title: String

    /// Creates a chapter.
    package init(start: Int64, end: Int64?, title: String) {
      self.start = start
      self.end = end
      self.title = title
    }

    /// Whether the times are in range.
    var isPlausible: Bool {
      (0...Limits.maxChapter).contains(start)
        && end.map { (start...Limits.maxChapter).contains($0) } ?? true
    }
  }
}

extension PacketWriter {
  /// Writes the values of all text tags.
  mutating func put(valuesOf tags: StreamInfo.Tags) {
    for tag in TextTag.allCases {
      put(UInt32(tags[tag].count))
      for text in tags[tag] {
        put(UInt32(text.utf8.count))
        put(text, size: text.utf8.count)
      }
    }
  }

  mutating func put(_ chapter: StreamInfo.Chapter) {
    put(chapter.start)
    put(chapter.end ?? .min)
    put(chapter.title, size: Limits.text)
  }
}

extension PacketReader {
  /// Reads the values of all text tags; nil if they exceed `Limits`.
  mutating func textTags() -> StreamInfo.Tags? {
    var tags = StreamInfo.Tags()
    var room = Limits.values
    for tag in TextTag.allCases {
      guard let count = uint32(), count <= UInt32(Limits.valuesOfTag) else { return nil }
      var values: [String] = []
      for _ in 0..<Int(count) {
        guard let size = uint32(), size <= UInt32(min(room, Limits.text)), let text = text(size: Int(size))
        else { return nil }
        room -= Int(size)
        values.append(text)
      }
      tags[tag] = values
    }
    return tags
  }

  /// Reads a chapter; nil unless it is plausible.
  mutating func chapter() -> StreamInfo.Chapter? {
    guard let start = int64(), let end = int64(), let title = text(size: Limits.text) else { return nil }
    let chapter = StreamInfo.Chapter(start: start, end: end == .min ? nil : end, title: title)
    return chapter.isPlausible ? chapter : nil
  }
}
