// Multiple tag values and chapters of a stream, collected in `open` and reported by `describe`. Worker
// process only, one thread.

import CodecPlugin

/// A chapter of a stream. Times are milliseconds from the first decoded frame.
struct StreamChapter {
  /// The chapter's number in the file; nil if the format does not number chapters.
  var number: Int?
  /// Nil until the file's tag for the start has been read.
  var start: Int64?
  var end: Int64?
  var title: [UInt8]
}

/// Collects tag values and chapters while the plugin opens a file.
final class StreamDetails {
  private var values: [[[UInt8]]] = []
  /// For each text field, the number of the tag that filled it; 0 if none has, -1 if it was replaced.
  private var sources: [Int] = []
  private var source = 1
  private(set) var chapters: [StreamChapter] = []
  /// The number of the tag that the chapters come from; 0 for none.
  private var chapterSource = 0

  private static let maxValues = Int(SWIFTLET_MAX_VALUES)
  private static let maxChapters = Int(SWIFTLET_MAX_CHAPTERS)

  init() {
    values = Array(repeating: [], count: StreamDescription.TextField.multipleCount)
    sources = Array(repeating: 0, count: StreamDescription.TextField.multipleCount)
  }

  /// Starts a new tag, whose values do not add to those of an earlier one.
  func beginSource() { source += 1 }

  /// Clears a field's list of values and blocks later additions.
  func replace(_ field: Int) {
    values[field] = []
    sources[field] = -1
  }

  /// Reserves a field without a value for the present tag.
  func claim(_ field: Int) {
    if sources[field] == 0 { sources[field] = source }
  }

  /// Adds a sanitised value to a field.
  ///
  /// - Returns: Whether it is the field's first value.
  func add(_ text: [UInt8], to field: Int) -> Bool {
    guard sources[field] == 0 || sources[field] == source, values[field].count < Self.maxValues else {
      return false
    }
    sources[field] = source
    values[field].append(text)
    return values[field].count == 1
  }

  /// Adds a chapter, or completes the one with the same number.
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

  /// Reports all values and chapters to the host. Stops at the first chapter that the host refuses.
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
