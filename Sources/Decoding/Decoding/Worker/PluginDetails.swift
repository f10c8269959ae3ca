// Receives the multiple tag values and chapters that a plugin reports in `describe`. Copies and checks each
// text within the ABI's limits. Worker process, one thread.

import CodecPlugin
import Platform

/// Collects the details of one stream.
final class PluginDetails {
  private var values: [[String]] = Array(repeating: [], count: TextTag.allCases.count)
  private var valueBytes = 0
  private var found: [StreamInfo.Chapter] = []
  private var titleBytes = 0

  private init() {}

  /// Calls `describe` for a stream that was just opened. Nil if the plugin does not support it or fails.
  static func of(_ plugin: Plugin, _ decoder: OpaquePointer) -> PluginDetails? {
    guard plugin.canDescribe, let describe = plugin.table.pointee.describe else { return nil }
    let details = PluginDetails()
    var table = swiftlet_details(
      context: Unmanaged.passUnretained(details).toOpaque(),
      value: { context, tag, text, size in
        guard let context else { return SWIFTLET_ERROR_UNSUPPORTED.rawValue }
        return PluginDetails.from(context).add(tag, text, size)
      },
      chapter: { context, start, end, title, size in
        guard let context else { return SWIFTLET_ERROR_UNSUPPORTED.rawValue }
        return PluginDetails.from(context).addChapter(start, end, title, size)
      })
    let status = withExtendedLifetime(details) { describe(decoder, &table) }
    return status < 0 ? nil : details
  }

  /// Replaces the tags from `open` by the values reported here, for tags that have any.
  func apply(to tags: inout StreamInfo.Tags) {
    for tag in TextTag.allCases where !values[tag.rawValue].isEmpty { tags[tag] = values[tag.rawValue] }
  }

  /// The chapters sorted by start; the plugin's order breaks ties.
  var chapters: [StreamInfo.Chapter] {
    let order = found.indices.sorted {
      (found[$0].start, $0) < (found[$1].start, $1)
    }
    return order.map { found[$0] }
  }

  private static func from(_ context: UnsafeMutableRawPointer) -> PluginDetails {
    Unmanaged<PluginDetails>.fromOpaque(context).takeUnretainedValue()
  }

  private func add(_ tag: UInt32, _ text: UnsafePointer<CChar>?, _ size: Int) -> Int32 {
    guard let tag = TextTag(rawValue: Int(clamping: tag)) else { return SWIFTLET_ERROR_UNSUPPORTED.rawValue }
    // Checked before the copy, so that a refused text allocates no memory.
    guard values[tag.rawValue].count < Limits.valuesOfTag,
      min(size, Limits.text - 1) <= Limits.values - valueBytes
    else { return SWIFTLET_ERROR_MEMORY.rawValue }
    let text = Self.text(text, size)
    valueBytes += text.utf8.count
    values[tag.rawValue].append(text)
    return SWIFTLET_OK.rawValue
  }

  private func addChapter(
    _ start: Int64, _ end: Int64, _ title: UnsafePointer<CChar>?, _ size: Int
  ) -> Int32 {
    guard found.count < Limits.chapters, min(size, Limits.text - 1) <= Limits.chapterTitles - titleBytes
    else {
      return SWIFTLET_ERROR_MEMORY.rawValue
    }
    let title = Self.text(title, size)
    var chapter = StreamInfo.Chapter(start: start, end: end == .min ? nil : end, title: title)
    if !chapter.isPlausible { chapter.end = nil }
    guard chapter.isPlausible else { return SWIFTLET_ERROR_UNSUPPORTED.rawValue }
    titleBytes += title.utf8.count
    found.append(chapter)
    return SWIFTLET_OK.rawValue
  }

  /// A text up to its first NUL, sanitised and cut to the size of a field.
  private static func text(_ text: UnsafePointer<CChar>?, _ size: Int) -> String {
    let bytes = UnsafeRawBufferPointer(
      start: text, count: text == nil ? 0 : min(max(0, size), Limits.text - 1))
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self).printable(limit: Limits.text - 1)
  }
}
