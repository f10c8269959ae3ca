// Queries of the music index, parsed from command arguments. Pure; any thread.

import Platform

/// Kind of a query, as in commands.
package enum LibraryVerb: String, Hashable, Sendable {
  case find, search, list, count, summary, faults, files
}

/// A query of the music index.
enum LibraryQuestion: Hashable, Sendable {
  /// Tracks in an order, limited to a window.
  case tracks(LibraryFilter, isFolded: Bool, LibraryOrder, LibraryWindow)
  /// Distinct values of a tag on matching tracks, grouped by other tags.
  case values(LibraryTag, LibraryFilter, [LibraryTag], LibraryWindow)
  /// Number and total length of matching tracks, grouped by tags.
  case count(LibraryFilter, [LibraryTag], LibraryWindow)
  /// Totals of the index.
  case summary
  /// Unreadable files with the reasons.
  case faults(LibraryWindow)
  /// Records of files with these absolute paths.
  case files([String])

  /// Parses a query.
  ///
  /// - Throws: `LibraryFault` with a message for the user.
  init(_ verb: LibraryVerb, _ words: [String]) throws(LibraryFault) {
    let most = verb == .files ? LibraryWindow.maxCount : LibraryFilter.maxWords
    guard words.count <= most else {
      throw LibraryFault("no more than \(most) words can be looked for at once")
    }
    var options = Options(verb)
    var rest = try options.taken(from: words)
    switch verb {
    case .find, .search:
      guard !rest.isEmpty else { throw LibraryFault("what is to be looked for is missing") }
      let filter = try FilterReader.filter(of: rest, isSearch: verb == .search)
      self = .tracks(filter, isFolded: verb == .search, options.order, options.window)
    case .list:
      guard let name = rest.popFirst() else { throw LibraryFault("the tag is missing") }
      let tag = try LibraryTag.named(name)
      // Legacy MPD syntax for the albums of an artist.
      if tag == .album, rest.count == 1, let artist = rest.first, artist.utf8.first != 0x28 {
        rest = ["artist", artist]
      }
      let filter = try FilterReader.filter(of: rest, isSearch: false)
      self = .values(tag, filter, options.groups, options.window)
    case .count:
      self = .count(try FilterReader.filter(of: rest, isSearch: false), options.groups, options.window)
    case .summary: self = .summary
    case .faults: self = .faults(options.window)
    case .files: self = .files(words)
    }
  }

  /// Options at the end of the arguments.
  private struct Options {
    var order = LibraryOrder.place
    var window = LibraryWindow(0..<LibraryWindow.usual)
    var groups: [LibraryTag] = []
    private let verb: LibraryVerb

    init(_ verb: LibraryVerb) { self.verb = verb }

    /// Parses the options and returns the remaining arguments, which are conditions.
    mutating func taken(from words: [String]) throws(LibraryFault) -> ArraySlice<String> {
      var rest = words[...]
      while rest.count >= 2 {
        let (name, value) = (rest[rest.endIndex - 2], rest[rest.endIndex - 1])
        switch TextFolding.folded(name) {
        // As the only pair of a search, it is a search term.
        case "window" where rest.count > 2 || verb != .search: window = try LibraryWindow(value)
        case "sort" where verb == .find || verb == .search: order = try LibraryOrder(value)
        case "group" where verb == .list || verb == .count:
          guard let tag = LibraryTag(named: value) else { throw LibraryFault("'\(value)' is no tag") }
          groups.insert(tag, at: 0)
        default: return rest
        }
        rest = rest.dropLast(2)
      }
      return rest
    }
  }
}

/// Sort order of tracks.
struct LibraryOrder: Hashable, Sendable {
  /// By folder and file.
  static let place = LibraryOrder(column: nil, isDescending: false)

  /// Column to sort by first; nil for none.
  private let column: String?
  private let isDescending: Bool

  private init(column: String?, isDescending: Bool) {
    self.column = column
    self.isDescending = isDescending
  }

  /// Parses a sort order; a leading hyphen reverses it.
  init(_ word: String) throws(LibraryFault) {
    let isDescending = word.utf8.first == 0x2D
    let name = isDescending ? String(word.dropFirst()) : word
    let column: String
    switch TextFolding.folded(name) {
    case "last-modified", "modified": column = "modified"
    case "added": column = "added"
    default:
      guard let tag = LibraryTag(named: name) else {
        throw LibraryFault("'\(name)' is nothing to sort by; there are tags, modified and added")
      }
      column = tag.order
    }
    self.init(column: column, isDescending: isDescending)
  }

  var sql: String { column.map { $0 + (isDescending ? " DESC, place" : ", place") } ?? "place" }
}

/// A window of an answer's rows.
struct LibraryWindow: Hashable, Sendable {
  /// Default number of rows.
  static let usual = 50
  /// Maximum number of rows per answer.
  static let maxCount = 500

  /// The rows, counted from 0.
  let range: Range<Int>

  init(_ range: Range<Int>) { self.range = range }

  /// Parses a window, `FROM:TO`.
  init(_ word: String) throws(LibraryFault) {
    let parts = word.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    guard parts.count == 2, let from = Int(parts[0]), from >= 0,
      let to = parts[1].utf8.isEmpty ? Int.max : Int(parts[1]), to >= from
    else { throw LibraryFault("'\(word)' is no window such as 0:50") }
    range = from..<to
  }

  /// Number of rows to return at most.
  var count: Int { min(range.count, Self.maxCount) }
}
