// MPD's commands about the music database (find, search, list, count, update, …). The daemon's index evaluates the
// filters and answers in pages. Pure.

import Console
import Platform

extension MPDCommand {
  static let library: [MPDCommand] = [
    MPDCommand("find", 1...MPDRequest.maxArguments, needs: .read) { (call, session) throws(MPDRefusal) in
      try found(.find, call, session.tags)
    },
    MPDCommand("search", 1...MPDRequest.maxArguments, needs: .read) { (call, session) throws(MPDRefusal) in
      try found(.search, call, session.tags)
    },
    MPDCommand("findadd", 1...MPDRequest.maxArguments, needs: .add) { (call, _) throws(MPDRefusal) in
      try added(.find, call)
    },
    MPDCommand("searchadd", 1...MPDRequest.maxArguments, needs: .add) { (call, _) throws(MPDRefusal) in
      try added(.search, call)
    },
    MPDCommand("list", 1...MPDRequest.maxArguments, needs: .read) { (call, _) throws(MPDRefusal) in
      try values(call.arguments)
    },
    MPDCommand("count", 1...MPDRequest.maxArguments, needs: .read) { (call, _) throws(MPDRefusal) in
      try counted(call.arguments)
    },
    MPDCommand("readcomments", 1...1, needs: .read) { (call, _) throws(MPDRefusal) in
      try comments(of: call.first())
    },
    MPDCommand("update", 0...1) { (call, _) throws(MPDRefusal) in
      try update(.update, call[0])
    },
    MPDCommand("rescan", 0...1) { (call, _) throws(MPDRefusal) in
      try update(.rebuild, call[0])
    },
  ]

  /// The job number of index updates; there is only one job at a time.
  static let updateJob = 1
  /// Maximum number of rows in a command's answer.
  private static let maxRows = 50_000

  /// Updates the index. If the index is disabled, the command succeeds without effect, because folders are read on
  /// demand.
  private static func update(_ command: LibraryCommand, _ name: String?) throws(MPDRefusal) -> MPDPlan {
    guard name == nil || name == "/" || MediaPath.isSafe(name ?? "") else {
      throw MPDRefusal(.argument, "Malformed path")
    }
    return .withSettings { (facts) throws(MPDRefusal) in
      var lines = MPDLines()
      lines.add("updating_db", updateJob)
      let answer = lines
      guard facts.hasLibrary else { return .ensureTold([.update], then: .answer(answer)) }
      return .order(.library(command), fault: .system) { (_) throws(MPDRefusal) in .answer(answer) }
    }
  }

  // MARK: Songs

  private static func found(
    _ verb: LibraryPages.Verb, _ call: MPDCall, _ tags: [MPDTag]
  ) throws(MPDRefusal) -> MPDPlan {
    let question = try LibraryPages(verb, try songs(verb, call.arguments))
    return withLibrary { (facts) throws(MPDRefusal) in
      rows(question, MPDLines()) { row, lines in
        add(row, facts, tags, to: &lines)
      } then: {
        .answer($0)
      }
    }
  }

  /// Checks filter arguments with MPD's error messages, since those of the daemon are meant for its console.
  static func songs(_ verb: LibraryPages.Verb, _ words: [String]) throws(MPDRefusal) -> [String] {
    _ = try MPDFilterReader.filter(
      of: try MPDSelection(of: words[...], ofQueue: false).filter, isSearch: verb == .search)
    return words
  }

  /// Continues if the index is enabled; otherwise refuses with "No database".
  private static func withLibrary(
    then: @escaping (MPDFacts) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .withSettings { (facts) throws(MPDRefusal) in
      guard facts.hasLibrary else { throw MPDRefusal.noDatabase }
      return try then(facts)
    }
  }

  /// A song's metadata from a row of the index or of a playlist, without its name.
  static func song(_ row: BoxFields, _ tags: [MPDTag]) -> MPDLines {
    var lines = MPDLines()
    if let modified = row["modified"] { lines.add("Last-Modified", modified) }
    if let format = row["format"] { lines.add("Format", format) }
    lines.add(tags) { row.values($0) }
    if let length = row["length"] { lines.add(length: length) }
    return lines
  }

  /// Adds a row's song; without `tags`, its name only.
  static func add(_ row: BoxFields, _ facts: MPDFacts, _ tags: [MPDTag]?, to lines: inout MPDLines) {
    lines.add("file", facts.media.name(of: row["path"] ?? ""))
    if let tags { lines.add(song(row, tags)) }
  }

  /// A song of a folder with its metadata in the index.
  struct IndexedSong {
    let lines: MPDLines
    /// Whether the song is represented by the tracks of a cue sheet.
    let hasSheet: Bool
  }

  /// The songs of a folder that are in the index, keyed by name.
  static func songs(
    in folder: String, _ facts: MPDFacts, _ tags: [MPDTag]?,
    then: @escaping ([MPDName: IndexedSong]) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    guard let tags, facts.hasLibrary, let question = try? LibraryPages(.find, ["folder", folder]) else {
      return try then([:])
    }
    // An index that is still being built does not fail the browsing of folders.
    return rows(question, [MPDName: IndexedSong](), isOptional: true) { row, songs in
      let name = MPDName(facts.media.name(of: row["path"] ?? ""))
      songs[name] = IndexedSong(lines: song(row, tags), hasSheet: row.isOn("sheet"))
    } then: { (songs) throws(MPDRefusal) in
      try then(songs)
    }
  }

  /// The tags of a file in the index.
  private static func comments(of name: String) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      let inside = facts.media.name(of: path)
      let folder = MediaPath.folder(of: inside)
      guard facts.hasLibrary, let question = try? LibraryPages(.find, ["folder", folder]) else {
        return .done
      }
      return rows(question, MPDLines?.none, isOptional: false) { row, found in
        guard facts.media.name(of: row["path"] ?? "").utf8.elementsEqual(inside.utf8) else { return }
        var lines = MPDLines()
        lines.add(MPDTag.allCases) { row.values($0) }
        found = lines
      } then: { (found) throws(MPDRefusal) in
        guard let found else { throw MPDRefusal(.noSuchThing, "No such file") }
        return .answer(found)
      }
    }
  }

  private static func added(_ verb: LibraryPages.Verb, _ call: MPDCall) throws(MPDRefusal) -> MPDPlan {
    let (words, place) = positioned(call.arguments)
    return try paths(verb, words) { (paths) throws(MPDRefusal) in
      guard let place else { return try .addingAll(paths[...], at: nil) }
      return .withQueue { (facts) throws(MPDRefusal) in
        try .addingAll(paths[...], at: try target(place, moving: nil, facts))
      }
    }
  }

  /// Splits a trailing `position` argument from the arguments.
  static func positioned(_ words: [String]) -> (words: [String], place: String?) {
    guard words.count > 2, MPDTag.small(words[words.count - 2]) == "position" else { return (words, nil) }
    return (Array(words.dropLast(2)), words.last)
  }

  /// The paths of the songs found by a filter.
  static func paths(
    _ verb: LibraryPages.Verb, _ words: [String], then: @escaping ([String]) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    let question = try LibraryPages(verb, try songs(verb, words))
    return withLibrary { (_) throws(MPDRefusal) in
      rows(question, [String]()) { row, paths in
        if let path = row["path"] { paths.append(path) }
      } then: { (paths) throws(MPDRefusal) in
        try then(paths)
      }
    }
  }

  // MARK: Values and counts

  private static func values(_ words: [String]) throws(MPDRefusal) -> MPDPlan {
    if ["file", "filename"].contains(MPDTag.small(words[0])) { return try files(Array(words.dropFirst())) }
    guard isTag(words[0]) else { throw unknownTag(words[0]) }
    if words.count == 2, words[1].utf8.first != 0x28, MPDTag.small(words[0]) != "album" {
      throw MPDRefusal(.argument, "should be \"Album\" for 3 arguments")
    }
    let (windowed, window) = cutWindow(words)
    let (conditions, groups) = try grouped(windowed)
    let filter = conditions.dropFirst()
    if filter.count > 1 || filter.first?.utf8.first == 0x28 {
      _ = try MPDFilterReader.filter(of: filter, isSearch: false)
    }
    for (i, group) in groups.enumerated() {
      let isTaken = (groups[..<i] + conditions.prefix(1)).contains { MPDTag.small($0) == MPDTag.small(group) }
      guard !isTaken else { throw MPDRefusal(.argument, "Conflicting group") }
    }
    let names = groups + conditions.prefix(1)
    let question = try LibraryPages(.list, ordered(conditions, groups) + window)
    return withLibrary { (_) throws(MPDRefusal) in
      rows(question, MPDGroups(names)) { row, groups in
        groups.add(row)
      } then: {
        .answer($0.lines)
      }
    }
  }

  private static func counted(_ words: [String]) throws(MPDRefusal) -> MPDPlan {
    let (conditions, names) = try grouped(words)
    if !conditions.isEmpty { _ = try MPDFilterReader.filter(of: conditions[...], isSearch: false) }
    let question = try LibraryPages(.count, ordered(conditions, names))
    return withLibrary { (_) throws(MPDRefusal) in
      rows(question, MPDGroups(names)) { row, groups in
        groups.add(row)
        groups.lines.add("songs", row["tracks"] ?? "0")
        groups.lines.add("playtime", Int(row["length"].flatMap { Decimal.parse($0[...]) } ?? 0))
      } then: {
        .answer($0.lines)
      }
    }
  }

  /// The names of all songs, or of those found by a filter.
  private static func files(_ words: [String]) throws(MPDRefusal) -> MPDPlan {
    if !words.isEmpty { _ = try MPDFilterReader.filter(of: words[...], isSearch: false) }
    let question = try LibraryPages(.find, words.isEmpty ? ["base", ""] : words)
    return withLibrary { (facts) throws(MPDRefusal) in
      rows(question, MPDLines()) { row, lines in
        add(row, facts, nil, to: &lines)
      } then: {
        .answer($0)
      }
    }
  }

  private static func isTag(_ name: String) -> Bool {
    MPDTag.others.contains { MPDTag.small($0) == MPDTag.small(name) } || (try? MPDTag(named: name)) != nil
  }

  private static func unknownTag(_ name: String) -> MPDRefusal {
    MPDRefusal(.argument, "Unknown tag type: \(name)")
  }

  /// Splits a trailing `window` argument from the arguments.
  private static func cutWindow(_ words: [String]) -> (words: [String], window: [String]) {
    guard words.count > 2, words[words.count - 2] == "window" else { return (words, []) }
    return (Array(words.dropLast(2)), Array(words.suffix(2)))
  }

  /// Splits trailing `group` arguments from the conditions. The groups are returned outermost first, which in MPD is
  /// the last one given.
  private static func grouped(
    _ words: [String]
  ) throws(MPDRefusal) -> (conditions: [String], groups: [String]) {
    var groups: [String] = []
    var rest = words[...]
    while rest.count >= 2, MPDTag.small(rest[rest.endIndex - 2]) == "group" {
      guard let name = rest.last, isTag(name) else { throw unknownTag(rest.last ?? "") }
      groups.append(name)
      rest = rest.dropLast(2)
    }
    return (Array(rest), groups)
  }

  private static func ordered(_ conditions: [String], _ groups: [String]) -> [String] {
    conditions + groups.flatMap { ["group", $0] }
  }

  /// Queries all pages of an answer. `isOptional`: return the rows found so far if the index fails.
  static func rows<Found>(
    _ question: LibraryPages, _ found: Found, isOptional: Bool = false,
    add: @escaping (BoxFields, inout Found) -> Void, then: @escaping (Found) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .list(.library(question.command), fault: .system, isOptional: isOptional) { (rows) throws(MPDRefusal) in
      var found = found
      for row in rows where CommandLineText.canHold(row["path"] ?? "") { add(row, &found) }
      guard !rows.isEmpty, let next = question.after(rows.count) else { return try then(found) }
      guard isOptional || next.taken < maxRows else {
        throw MPDRefusal(.system, "there are more than \(maxRows) answers; ask for a window of them")
      }
      return self.rows(next, found, isOptional: isOptional, add: add, then: then)
    }
  }

  // MARK: Statistics

  static func libraryFacts(then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan) -> MPDPlan {
    .withSettings { (facts) throws(MPDRefusal) in
      guard facts.hasLibrary else { return try then(BoxFields()) }
      return .ask(.library(.summary)) { (answer) throws(MPDRefusal) in
        if case .done(let fields, _) = answer { return try then(fields) }
        return try then(BoxFields())
      }
    }
  }

  static func stats(uptime: Int, _ library: BoxFields) -> MPDPlan {
    var lines = MPDLines()
    lines.add("uptime", uptime)
    lines.add("playtime", 0)
    lines.add("artists", library["artists"] ?? "0")
    lines.add("albums", library["albums"] ?? "0")
    lines.add("songs", library["tracks"] ?? "0")
    lines.add("db_playtime", Int(library["length"].flatMap { Decimal.parse($0[...]) } ?? 0))
    lines.add("db_update", String(library["updated"].flatMap { UTCTime.seconds($0) } ?? 0))
    return .answer(lines)
  }
}

/// A query whose answer is fetched in pages, because the daemon limits the length of answers.
struct LibraryPages {
  /// A command of the daemon that has pages.
  enum Verb { case find, search, list, count }

  private let verb: Verb
  private let arguments: [String]
  /// The range of rows still to be fetched.
  private let rest: Range<Int>
  /// The number of rows fetched so far.
  let taken: Int

  private static let page = 200

  /// Creates a query from a client's arguments; a `window` limits its range.
  init(_ verb: Verb, _ arguments: [String]) throws(MPDRefusal) {
    guard arguments.allSatisfy({ CommandLineText.canHold($0) }) else {
      throw MPDRefusal(.argument, "control characters are in no tag")
    }
    var arguments = arguments
    var range = 0..<Int(Int32.max)
    if arguments.count > 2, MPDTag.small(arguments[arguments.count - 2]) == "window" {
      range = try MPDArguments.range(arguments[arguments.count - 1], count: range.upperBound)
      arguments.removeLast(2)
    }
    self.init(verb, arguments, range, taken: 0)
  }

  private init(_ verb: Verb, _ arguments: [String], _ rest: Range<Int>, taken: Int) {
    self.verb = verb
    self.arguments = arguments
    self.rest = rest
    self.taken = taken
  }

  /// The command for the next page.
  var command: LibraryCommand {
    let window = "\(rest.lowerBound):\(min(rest.upperBound, rest.lowerBound + Self.page))"
    let words = arguments + ["window", window]
    return switch verb {
    case .find: .find(words)
    case .search: .search(words)
    case .list: .list(words)
    case .count: .count(words)
    }
  }

  /// The query for the rows after the next `count`; nil if none remain.
  func after(_ count: Int) -> LibraryPages? {
    guard count < rest.count else { return nil }
    return LibraryPages(verb, arguments, rest.dropFirst(count), taken: taken + count)
  }
}

/// Formats rows with group tags, which are repeated only when they change.
struct MPDGroups {
  var lines = MPDLines()
  private let names: [String]
  private var last: [String] = []

  init(_ names: [String]) { self.names = names }

  /// Adds a row's values. A group's value is added only if it differs from the previous row's.
  mutating func add(_ row: BoxFields) {
    let values = names.map { row[MPDTag.small($0)] ?? "" }
    var isSame = true
    for (i, value) in values.enumerated() {
      isSame =
        isSame && i < last.count && last[i].utf8.elementsEqual(value.utf8) && i < values.count - 1
      if !isSame { lines.add(MPDTag.shown(names[i]), value) }
    }
    last = values
  }
}
