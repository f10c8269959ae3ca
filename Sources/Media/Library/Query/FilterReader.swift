// Parser of search filters, as in MPD: `artist Harbour`, or `((artist == "Harbour") AND (!(album contains "live")))`.
// Pure; any thread. The input is untrusted, so length and depth are limited.

import Platform

/// Parses filters. Errors are the ends of sentences.
struct FilterReader {
  private var scanner: FilterScanner

  /// Parses filter arguments: expressions, and pairs of tag and value.
  ///
  /// - Parameters:
  ///   - words: The arguments.
  ///   - isSearch: Whether values match as substrings.
  /// - Throws: `LibraryFault` with a message for the user.
  static func filter(of words: ArraySlice<String>, isSearch: Bool) throws(LibraryFault) -> LibraryFilter {
    var rest = words
    var filters: [LibraryFilter] = []
    // A single word is searched in all tags.
    if rest.count == 1, isSearch, let word = rest.first, word.utf8.first != 0x28 {
      return .compare(.any, .contains, word)
    }
    while let word = rest.popFirst() {
      if word.utf8.first == 0x28 {
        var reader = FilterReader(word)
        filters.append(try reader.whole())
        continue
      }
      guard let value = rest.popFirst() else { throw LibraryFault("'\(word)' wants a value behind it") }
      filters.append(try pair(word, value, isSearch ? .contains : .equals))
    }
    return filters.count == 1 ? filters[0] : .all(filters)
  }

  private init(_ text: String) { scanner = FilterScanner(text) }

  private mutating func whole() throws(LibraryFault) -> LibraryFilter {
    let filter = try expression(depth: 0)
    guard scanner.next == nil else { throw fault("something follows the expression") }
    return filter
  }

  private static func pair(
    _ name: String, _ value: String, _ comparison: LibraryFilter.Comparison
  ) throws(LibraryFault) -> LibraryFilter {
    switch TextFolding.folded(name) {
    case "any": return .compare(.any, comparison, value)
    case "file", "filename": return .compare(.file, comparison, value)
    case "base": return .beneath(value)
    case "folder": return .inside(value)
    case "modified-since": return .modifiedSince(try time(value))
    case "added-since": return .addedSince(try time(value))
    case "audioformat": return try format(value)
    default:
      return .compare(.tag(try LibraryTag.named(name)), comparison, value)
    }
  }

  private static func time(_ text: String) throws(LibraryFault) -> Int64 {
    guard let seconds = UTCTime.seconds(text) else {
      throw LibraryFault("'\(text)' is no time such as 2026-11-23T10:00:00Z")
    }
    return seconds
  }

  private static func format(_ text: String) throws(LibraryFault) -> LibraryFilter {
    let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    var numbers: [Int?] = []
    for part in parts where parts.count == 3 {
      guard part == "*" || Int(part) != nil || part == "f" else { break }
      numbers.append(part == "f" ? 0 : Int(part))
    }
    guard numbers.count == 3 else {
      throw LibraryFault("'\(text)' is no format such as 44100:16:2; * matches any value")
    }
    return .format(rate: numbers[0], bits: numbers[1], channels: numbers[2])
  }

  // MARK: Expressions

  private func fault(_ what: String) -> LibraryFault {
    LibraryFault("\(what) at character \(scanner.place + 1) of '\(scanner.text)'")
  }

  private mutating func expression(depth: Int) throws(LibraryFault) -> LibraryFilter {
    guard depth < LibraryFilter.deepest else { throw fault("too many brackets") }
    guard scanner.take(0x28) else { throw fault("'(' is missing") }
    let filter: LibraryFilter
    if scanner.next == 0x28 {
      var filters = [try expression(depth: depth + 1)]
      while !scanner.take(0x29) {
        guard word() == "AND" else { throw fault("'AND' or ')' is missing") }
        filters.append(try expression(depth: depth + 1))
      }
      return filters.count == 1 ? filters[0] : .all(filters)
    } else if scanner.take(0x21) {
      filter = .not(try expression(depth: depth + 1))
    } else {
      filter = try condition()
    }
    guard scanner.take(0x29) else { throw fault("')' is missing") }
    return filter
  }

  private mutating func condition() throws(LibraryFault) -> LibraryFilter {
    let name = word()
    guard !name.utf8.isEmpty else { throw fault("the name of a tag is missing") }
    switch TextFolding.folded(name) {
    case "base", "folder", "modified-since", "added-since":
      return try Self.pair(name, try quoted(), .equals)
    default: break
    }
    let sign = comparison()
    let value = try quoted()
    switch sign {
    case "==": return try Self.pair(name, value, .equals)
    case "!=": return .not(try Self.pair(name, value, .equals))
    case "contains": return try Self.pair(name, value, .contains)
    case "!contains": return .not(try Self.pair(name, value, .contains))
    case "starts_with": return try Self.pair(name, value, .startsWith)
    case "!starts_with": return .not(try Self.pair(name, value, .startsWith))
    case "=~" where TextFolding.folded(name) == "audioformat": return try Self.format(value)
    case "=~", "!~": throw fault("regular expressions are not known")
    default: throw fault("'\(sign)' is none of ==, !=, contains, starts_with")
    }
  }

  private mutating func word() -> String {
    scanner.word { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || $0 == 0x2D }
  }

  private mutating func comparison() -> String { scanner.word { $0 != 0x22 && $0 != 0x27 } }

  private mutating func quoted() throws(LibraryFault) -> String {
    do throws(FilterScanner.QuoteFault) {
      return try scanner.quoted()
    } catch {
      throw fault(
        error == .missing ? "a value in quotes is missing" : "the value's second quote is missing")
    }
  }
}
