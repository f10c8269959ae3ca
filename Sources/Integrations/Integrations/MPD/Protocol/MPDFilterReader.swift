// Parses MPD filter arguments and expressions, with MPD's error messages. Pure; total.

import Platform

/// A recursive-descent parser for filters.
struct MPDFilterReader {
  private var scanner: FilterScanner

  /// Parses filter arguments: expressions, and pairs of a tag and a value.
  ///
  /// - Parameters:
  ///   - words: The arguments.
  ///   - isSearch: Whether pairs match substrings instead of whole values.
  /// - Throws: `MPDRefusal` if the arguments are malformed.
  static func filter(of words: ArraySlice<String>, isSearch: Bool) throws(MPDRefusal) -> MPDFilter {
    var (rest, filters): (ArraySlice<String>, [MPDFilter]) = (words, [])
    guard !rest.isEmpty else { throw Self.wrongCount }
    while let word = rest.popFirst() {
      if word.utf8.first == 0x28 {
        var reader = MPDFilterReader(scanner: FilterScanner(word))
        filters.append(try reader.expression(depth: 0))
        guard reader.scanner.next == nil else {
          throw MPDRefusal(.argument, "Unparsed garbage after expression")
        }
        continue
      }
      guard let value = rest.popFirst() else { throw Self.wrongCount }
      filters.append(try pair(word, value, isSearch ? .contains : .equals))
    }
    return filters.count == 1 ? filters[0] : .all(filters)
  }

  private static let wrongCount = MPDRefusal(.argument, "Incorrect number of filter arguments")

  private static func pair(
    _ name: String, _ value: String, _ comparison: MPDFilter.Comparison
  ) throws(MPDRefusal) -> MPDFilter {
    switch name {
    case "base":
      guard MediaPath.isSafe(value) else { throw MPDRefusal(.argument, "Bad URI") }
      return .beneath(value)
    case "modified-since", "added-since": return .modifiedSince(try time(value))
    default:
      guard let field = field(name) else { throw MPDRefusal(.argument, "Unknown filter type") }
      return .compare(field, comparison, value)
    }
  }

  /// The field with a name; nil if there is none.
  private static func field(_ name: String) -> MPDFilter.Field? {
    switch MPDTag.small(name) {
    case "any": return .any
    case "file", "filename": return .file
    case let small where MPDTag.others.contains { MPDTag.small($0) == small }: return .unknown
    default: return (try? MPDTag(named: name)).map { .tag($0) }
    }
  }

  private static func time(_ text: String) throws(MPDRefusal) -> String {
    guard let seconds = UTCTime.seconds(text) else {
      throw MPDRefusal(.argument, "Failed to parse date")
    }
    return UTCTime.text(seconds)
  }

  private static func format(_ text: String) throws(MPDRefusal) -> MPDFilter {
    let parts = text.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    guard parts.count == 3, parts.allSatisfy({ $0 == "*" || $0 == "f" || Int($0) != nil }) else {
      throw MPDRefusal(.argument, "Failed to parse the audio format")
    }
    return .format(parts)
  }

  private mutating func expression(depth: Int) throws(MPDRefusal) -> MPDFilter {
    guard depth < MPDFilter.deepest else { throw MPDRefusal(.argument, "Too many brackets") }
    guard scanner.take(0x28) else { throw MPDRefusal(.argument, "'(' expected") }
    let filter: MPDFilter
    if scanner.next == 0x28 {
      var filters = [try expression(depth: depth + 1)]
      while scanner.next != 0x29 {
        guard try name() == "AND" else { throw MPDRefusal(.argument, "'AND' expected") }
        filters.append(try expression(depth: depth + 1))
      }
      filter = filters.count == 1 ? filters[0] : .all(filters)
    } else if scanner.take(0x21) {
      filter = .not(try expression(depth: depth + 1))
    } else {
      filter = try condition()
    }
    guard scanner.take(0x29) else { throw MPDRefusal(.argument, "')' expected") }
    return filter
  }

  private mutating func condition() throws(MPDRefusal) -> MPDFilter {
    let name = try name()
    switch name {
    case "base": return .beneath(try quoted())
    case "modified-since", "added-since": return .modifiedSince(try Self.time(try quoted()))
    default: break
    }
    guard MPDTag.small(name) != "audioformat" else {
      let sign = sign()
      guard sign == "==" || sign == "=~" else { throw MPDRefusal(.argument, "'==' or '=~' expected") }
      return try Self.format(try quoted())
    }
    guard let field = Self.field(name) else {
      throw MPDRefusal(.argument, "Unknown filter type: " + name)
    }
    let sign = sign()
    switch MPDTag.small(sign) {
    case "==": return .compare(field, .equals, try quoted())
    case "!=": return .not(.compare(field, .equals, try quoted()))
    case "contains": return .compare(field, .contains, try quoted())
    case "!contains": return .not(.compare(field, .contains, try quoted()))
    case "starts_with": return .compare(field, .startsWith, try quoted())
    case "!starts_with": return .not(.compare(field, .startsWith, try quoted()))
    case "=~", "!~": throw MPDRefusal(.argument, "Regular expressions are not supported")
    default: throw MPDRefusal(.argument, "'==' or '!=' expected")
    }
  }

  /// Parses a tag's name or `AND`.
  private mutating func name() throws(MPDRefusal) -> String {
    let word = scanner.word { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F || $0 == 0x2D }
    guard !word.utf8.isEmpty else { throw MPDRefusal(.argument, "Word expected") }
    return word
  }

  /// Parses an operator: symbols or a word.
  private mutating func sign() -> String {
    guard let first = scanner.next, first == 0x3D || first == 0x21 else {
      return scanner.word { ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || $0 == 0x5F }
    }
    return scanner.word { $0 != 0x22 && $0 != 0x27 }
  }

  private mutating func quoted() throws(MPDRefusal) -> String {
    do throws(FilterScanner.QuoteFault) {
      return try scanner.quoted()
    } catch {
      throw MPDRefusal(
        .argument, error == .missing ? "Quoted string expected" : "Closing quote not found")
    }
  }
}
