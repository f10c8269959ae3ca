// What a stream description has no room for: several values of a tag, and chapters. Filled in `open`, reported in `describe`. Worker process
// only, one thread.

import CodecPlugin

/// A chapter as tags name it. Times in milliseconds from the stream's first frame.
struct StreamChapter {
  /// Its number in the file; nil where the file has none.
  var number: Int?
  /// Nil until the file has stated it.
  var start: Int64?
  var end: Int64?
  var title: [UInt8]
}

/// Values of tags and chapters that a decoder reports.
final class StreamDetails {
  private var values: [[[UInt8]]] = []
  /// The tag of the file that each text field was filled from; 0: from none yet.
  private var sources: [Int] = []
  private var source = 1
  private(set) var chapters: [StreamChapter] = []
  /// The tag of the file that the chapters are from.
  private var chapterSource = 0

  private static let maxValues = Int(SWIFTLET_MAX_VALUES)
  private static let maxChapters = Int(SWIFTLET_MAX_CHAPTERS)

  init() {
    values = Array(repeating: [], count: StreamDescription.TextField.multipleCount)
    sources = Array(repeating: 0, count: StreamDescription.TextField.multipleCount)
  }

  /// Another tag of the file begins, whose values do not join those of an earlier one.
  func beginSource() { source += 1 }

  /// Replaces the values of a field by one that later values do not join.
  func replace(_ field: Int) {
    values[field] = []
    sources[field] = -1
  }

  /// Adds a value, already fit for a text field.
  ///
  /// - Returns: Whether it is the field's first one.
  func add(_ text: [UInt8], to field: Int) -> Bool {
    guard sources[field] == 0 || sources[field] == source, values[field].count < Self.maxValues else {
      return false
    }
    sources[field] = source
    values[field].append(text)
    return values[field].count == 1
  }

  /// Adds a chapter, or what the file says of one with a number.
  func add(_ chapter: StreamChapter) {
    guard chapterSource == 0 || chapterSource == source else { return }
    chapterSource = source
    if let number = chapter.number, let index = chapters.lastIndex(where: { $0.number == number }) {
      chapters[index].start = chapters[index].start ?? chapter.start
      if chapters[index].title.isEmpty { chapters[index].title = chapter.title }
      return
    }
    if chapters.count < Self.maxChapters { chapters.append(chapter) }
  }

  /// Reports everything. Stops where the host takes no more chapters.
  func report(to details: swiftlet_details) {
    for (tag, texts) in values.enumerated() where texts.count > 1 {
      for text in texts {
        text.withUnsafeBytes {
          _ = details.value(
            details.context, UInt32(tag), $0.bindMemory(to: CChar.self).baseAddress, $0.count)
        }
      }
    }
    for chapter in chapters {
      guard let start = chapter.start else { continue }
      let status = chapter.title.withUnsafeBytes {
        details.chapter(
          details.context, start, chapter.end ?? .min, $0.bindMemory(to: CChar.self).baseAddress, $0.count)
      }
      guard status >= 0 else { return }
    }
  }
}
