// What the index can be asked, read from the words of a command. Pure; any thread.

import Platform

/// What is asked, as a command names it.
package enum LibraryVerb: String, Hashable, Sendable {
  case find, search, list, count, summary, faults, files
}

/// A question about the music that the index knows.
enum LibraryQuestion: Hashable, Sendable {
  /// Tracks, in an order, from a place on.
  case tracks(LibraryFilter, isFolded: Bool, LibraryOrder, LibraryWindow)
  /// What a tag is on these tracks, each once, within groups of other tags.
  case values(LibraryTag, LibraryFilter, [LibraryTag], LibraryWindow)
  /// How many tracks there are, and how long they play, within groups.
  case count(LibraryFilter, [LibraryTag], LibraryWindow)
  /// What the index holds.
  case summary
  /// Files that cannot be read, with the reasons.
  case faults(LibraryWindow)
  /// What is known of some files, by their whole paths.
  case files([String])

  /// The question of some words.
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
      // As clients of old times ask for an artist's albums.
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

  /// The words behind the conditions.
  private struct Options {
    var order = LibraryOrder.place
    var window = LibraryWindow(0..<LibraryWindow.usual)
    var groups: [LibraryTag] = []
    private let verb: LibraryVerb

    init(_ verb: LibraryVerb) { self.verb = verb }

    /// Takes them from the end of the words; what is left are the conditions.
    mutating func taken(from words: [String]) throws(LibraryFault) -> ArraySlice<String> {
      var rest = words[...]
      while rest.count >= 2 {
        let (name, value) = (rest[rest.endIndex - 2], rest[rest.endIndex - 1])
        switch TextFolding.folded(name) {
        // Alone it is what is looked for.
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

/// The order of tracks.
struct LibraryOrder: Hashable, Sendable {
  /// As they lie in their folders.
  static let place = LibraryOrder(column: nil, isDescending: false)

  /// What they are sorted by before that; nil: nothing.
  private let column: String?
  private let isDescending: Bool

  private init(column: String?, isDescending: Bool) {
    self.column = column
    self.isDescending = isDescending
  }

  /// The order of a word; a hyphen turns it round.
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

/// A part of an answer's rows.
struct LibraryWindow: Hashable, Sendable {
  /// Rows where nothing is said.
  static let usual = 50
  /// Rows of one answer at most.
  static let maxCount = 500

  /// Which rows, counted from 0.
  let range: Range<Int>

  init(_ range: Range<Int>) { self.range = range }

  /// The window of a word, `FROM:TO`.
  init(_ word: String) throws(LibraryFault) {
    let parts = word.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    guard parts.count == 2, let from = Int(parts[0]), from >= 0,
      let to = parts[1].utf8.isEmpty ? Int.max : Int(parts[1]), to >= from
    else { throw LibraryFault("'\(word)' is no window such as 0:50") }
    range = from..<to
  }

  /// How many rows are wanted.
  var count: Int { min(range.count, Self.maxCount) }
}
