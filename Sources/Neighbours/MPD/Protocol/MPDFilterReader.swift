// Words and expressions become filters, by the rules of MPD. Pure; total.

import Platform

/// Reads filters.
struct MPDFilterReader {
  private var scanner: FilterScanner

  /// The conditions that words name: expressions, and tags followed by what they are. `isSearch`: a part of that is enough.
  static func filter(of words: ArraySlice<String>, isSearch: Bool) throws(MPDRefusal) -> MPDFilter {
    var (rest, filters): (ArraySlice<String>, [MPDFilter]) = (words, [])
    while let word = rest.popFirst() {
      if word.utf8.first == 0x28 {
        var reader = MPDFilterReader(scanner: FilterScanner(word))
        filters.append(try reader.expression(depth: 0))
        guard reader.scanner.next == nil else {
          throw MPDRefusal(.argument, "Unparsed garbage after expression")
        }
        continue
      }
      guard let value = rest.popFirst() else {
        throw MPDRefusal(.argument, "Incorrect number of filter arguments")
      }
      filters.append(try condition(word, isSearch ? .contains : .equals, value))
    }
    return filters.count == 1 ? filters[0] : .all(filters)
  }

  private static func condition(
    _ name: String, _ comparison: MPDFilter.Comparison, _ value: String
  ) throws(MPDRefusal) -> MPDFilter {
    switch MPDTag.small(name) {
    case "any": return .compare(.any, comparison, value)
    case "file", "filename": return .compare(.file, comparison, value)
    case "base": return .beneath(value)
    default:
      if MPDTag.others.contains(where: { MPDTag.small($0) == MPDTag.small(name) }) {
        return .compare(.unknown, comparison, value)
      }
      do throws(MPDRefusal) {
        return .compare(.tag(try MPDTag(named: name)), comparison, value)
      } catch {
        throw MPDRefusal(.argument, "Unknown filter type: " + name)
      }
    }
  }

  private mutating func expression(depth: Int) throws(MPDRefusal) -> MPDFilter {
    guard depth < MPDFilter.deepest else { throw MPDRefusal(.argument, "Too many brackets") }
    guard scanner.take(0x28) else { throw MPDRefusal(.argument, "'(' expected") }
    let filter: MPDFilter
    if scanner.next == 0x28 {
      var filters = [try expression(depth: depth + 1)]
      while scanner.next != 0x29 {
        guard word(until: [0x28, 0x29]) == "AND" else { throw MPDRefusal(.argument, "'AND' expected") }
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
    let name = word(until: [0x28, 0x29])
    guard !name.utf8.isEmpty else { throw MPDRefusal(.argument, "Word expected") }
    if MPDTag.small(name) == "base" { return .beneath(try quoted()) }
    let sign = word(until: [0x22, 0x27])
    let value = try quoted()
    switch sign {
    case "==": return try Self.condition(name, .equals, value)
    case "!=": return .not(try Self.condition(name, .equals, value))
    case "contains": return try Self.condition(name, .contains, value)
    case "!contains": return .not(try Self.condition(name, .contains, value))
    case "starts_with": return try Self.condition(name, .startsWith, value)
    case "!starts_with": return .not(try Self.condition(name, .startsWith, value))
    default: throw MPDRefusal(.argument, "'\(sign)' is none of ==, !=, contains, starts_with")
    }
  }

  private mutating func word(until ends: [UInt8]) -> String { scanner.word { !ends.contains($0) } }

  private mutating func quoted() throws(MPDRefusal) -> String {
    do throws(FilterScanner.QuoteFault) {
      return try scanner.quoted()
    } catch {
      throw MPDRefusal(
        .argument, error == .missing ? "Quoted string expected" : "Closing quote not found")
    }
  }
}
