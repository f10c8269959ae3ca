// Descriptive tags of a stream, each with as many values as the file has. A value; any thread.

import Platform

/// A tag with text. Raw values are those of `swiftlet_tag`.
package enum TextTag: Int, Hashable, Sendable, CaseIterable {
  case title, artist, album, albumArtist, genre, date
}

extension StreamInfo {
  /// Descriptive tags, empty or nil where absent.
  package struct Tags: Hashable, Sendable {
    /// The values of each text tag, in the order of `TextTag`.
    private var texts: [[String]] = Array(repeating: [], count: TextTag.allCases.count)
    /// The number on the album, from 1.
    package var trackNumber: Int?
    /// The disc of the album that it is on, from 1.
    package var discNumber: Int?

    /// No tags.
    package init() {}

    /// The values of a tag, in the file's order, each once. On assignment, empty ones, repeated ones, and those beyond the bounds are left
    /// out.
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

    /// All values of a tag as one text for people, `A, B`, at most as long as one value may be; empty where there is none.
    package func text(_ tag: TextTag) -> String { Self.joined(self[tag]) }

    /// Values of a tag as one text for people.
    package static func joined(_ values: [String]) -> String {
      guard values.count > 1 else { return values.first ?? "" }
      return values.joined(separator: ", ").printable(limit: Limits.text - 1)
    }

    /// The track's title.
    package var title: String {
      get { text(.title) }
      set { self[.title] = [newValue] }
    }
    /// Who performs it.
    package var artist: String {
      get { text(.artist) }
      set { self[.artist] = [newValue] }
    }
    /// The album it belongs to.
    package var album: String {
      get { text(.album) }
      set { self[.album] = [newValue] }
    }
    /// Whose album it is, where that differs from track to track's artist.
    package var albumArtist: String {
      get { text(.albumArtist) }
      set { self[.albumArtist] = [newValue] }
    }
    /// The kind of music.
    package var genre: String {
      get { text(.genre) }
      set { self[.genre] = [newValue] }
    }
    /// When it was released: a year, or more exactly.
    package var date: String {
      get { text(.date) }
      set { self[.date] = [newValue] }
    }
  }

  /// A chapter of a file.
  package struct Chapter: Hashable, Sendable {
    /// In milliseconds from the first frame.
    package var start: Int64
    /// In milliseconds; nil where the file states none: at the next chapter, or at the end.
    package var end: Int64?
    /// Empty where it has none.
    package var title: String

    /// A chapter.
    package init(start: Int64, end: Int64?, title: String) {
      self.start = start
      self.end = end
      self.title = title
    }

    /// Whether its times are such as a chapter can have.
    var isPlausible: Bool {
      (0...Limits.maxChapter).contains(start)
        && end.map { (start...Limits.maxChapter).contains($0) } ?? true
    }
  }
}

extension PacketWriter {
  /// The values of all text tags.
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
  /// The values of all text tags; nil where there are more than a worker may send.
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

  /// A chapter; nil unless it is plausible.
  mutating func chapter() -> StreamInfo.Chapter? {
    guard let start = int64(), let end = int64(), let title = text(size: Limits.text) else { return nil }
    let chapter = StreamInfo.Chapter(start: start, end: end == .min ? nil : end, title: title)
    return chapter.isPlausible ? chapter : nil
  }
}
