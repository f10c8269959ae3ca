// Commands about the music by its tags, which the box's index answers: it reads the filters, a page at a time. Pure.

import Console
import Platform

extension MPDCommand {
  static let library: [MPDCommand] = [
    MPDCommand("find", 1...MPDRequest.maxArguments, needs: .read) { (call, session) throws(MPDRefusal) in
      try found("find", call, session.tags)
    },
    MPDCommand("search", 1...MPDRequest.maxArguments, needs: .read) { (call, session) throws(MPDRefusal) in
      try found("search", call, session.tags)
    },
    MPDCommand("findadd", 1...MPDRequest.maxArguments, needs: .add) { (call, _) throws(MPDRefusal) in
      try added("find", call)
    },
    MPDCommand("searchadd", 1...MPDRequest.maxArguments, needs: .add) { (call, _) throws(MPDRefusal) in
      try added("search", call)
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
      try update(["library", "update"], call[0])
    },
    MPDCommand("rescan", 0...1) { (call, _) throws(MPDRefusal) in
      try update(["library", "rebuild"], call[0])
    },
  ]

  /// The number of the one job that brings the index up to date.
  static let updateJob = 1
  /// Rows that one command tells at most.
  private static let maxRows = 50_000

  /// Without an index there is nothing to bring up to date: folders are looked into when they are asked for.
  private static func update(_ order: [String], _ name: String?) throws(MPDRefusal) -> MPDPlan {
    guard name == nil || name == "/" || MediaPath.isSafe(name ?? "") else {
      throw MPDRefusal(.argument, "Malformed path")
    }
    return .withSettings { (facts) throws(MPDRefusal) in
      var lines = MPDLines()
      lines.add("updating_db", updateJob)
      let answer = lines
      guard facts.hasLibrary else { return .ensureTold([.update], then: .answer(answer)) }
      return .order(order, fault: .system) { (_) throws(MPDRefusal) in .answer(answer) }
    }
  }

  // MARK: Songs

  private static func found(_ verb: String, _ call: MPDCall, _ tags: [MPDTag]) throws(MPDRefusal) -> MPDPlan {
    let question = try LibraryPages(verb, try songs(verb, call.arguments))
    return withLibrary { (facts) throws(MPDRefusal) in
      rows(question, MPDLines()) { row, lines in
        add(row, facts, tags, to: &lines)
      } then: {
        .answer($0)
      }
    }
  }

  /// Words about songs, which are refused as MPD refuses them: what the box says of them is for its console.
  static func songs(_ verb: String, _ words: [String]) throws(MPDRefusal) -> [String] {
    _ = try MPDFilterReader.filter(
      of: try MPDSelection(of: words[...], ofQueue: false).filter, isSearch: verb == "search")
    return words
  }

  /// Continues where the box has an index.
  private static func withLibrary(
    then: @escaping (MPDFacts) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .withSettings { (facts) throws(MPDRefusal) in
      guard facts.hasLibrary else { throw MPDRefusal.noDatabase }
      return try then(facts)
    }
  }

  /// What the index or a playlist says of a song, without its name.
  static func song(_ row: BoxFields, _ tags: [MPDTag]) -> MPDLines {
    var lines = MPDLines()
    if let modified = row["modified"] { lines.add("Last-Modified", modified) }
    if let format = row["format"] { lines.add("Format", format) }
    lines.add(tags) { row.values($0) }
    if let length = row["length"] { lines.add(length: length) }
    return lines
  }

  /// Adds the song that a row is about; without `tags`, its name only.
  static func add(_ row: BoxFields, _ facts: MPDFacts, _ tags: [MPDTag]?, to lines: inout MPDLines) {
    lines.add("file", facts.media.name(of: row["path"] ?? ""))
    if let tags { lines.add(song(row, tags)) }
  }

  /// A song of a folder, as the index knows it.
  struct IndexedSong {
    let lines: MPDLines
    /// Whether tracks of a cue sheet stand in its place.
    let hasSheet: Bool
  }

  /// The songs of a folder by their names, as far as the index knows them.
  static func songs(
    in folder: String, _ facts: MPDFacts, _ tags: [MPDTag]?,
    then: @escaping ([MPDName: IndexedSong]) throws(MPDRefusal) -> MPDPlan
  ) throws(MPDRefusal) -> MPDPlan {
    guard let tags, facts.hasLibrary, let question = try? LibraryPages("find", ["folder", folder]) else {
      return try then([:])
    }
    // An index that is being made keeps nobody from his folders.
    return rows(question, [MPDName: IndexedSong](), isOptional: true) { row, songs in
      let name = MPDName(facts.media.name(of: row["path"] ?? ""))
      songs[name] = IndexedSong(lines: song(row, tags), hasSheet: row.isOn("sheet"))
    } then: { (songs) throws(MPDRefusal) in
      try then(songs)
    }
  }

  /// The tags of a file, as far as the index knows them.
  private static func comments(of name: String) throws(MPDRefusal) -> MPDPlan {
    let path = try asked(name)
    return .withSettings { (facts) throws(MPDRefusal) in
      let inside = facts.media.name(of: path)
      let folder = MediaPath.folder(of: inside)
      guard facts.hasLibrary, let question = try? LibraryPages("find", ["folder", folder]) else {
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

  private static func added(_ verb: String, _ call: MPDCall) throws(MPDRefusal) -> MPDPlan {
    let (words, place) = positioned(call.arguments)
    return try paths(verb, words) { (paths) throws(MPDRefusal) in
      guard let place else {
        return .addingAll(paths.map { ["queue", "add", $0] }[...])
      }
      return target(place, moving: nil) { (index, _) throws(MPDRefusal) in
        .addingAll(
          paths.enumerated().map { i, path in ["queue", "insert", String(index + i + 1), path] }[...])
      }
    }
  }

  /// The words in front of a position, and that.
  static func positioned(_ words: [String]) -> (words: [String], place: String?) {
    guard words.count > 2, MPDTag.small(words[words.count - 2]) == "position" else { return (words, nil) }
    return (Array(words.dropLast(2)), words.last)
  }

  /// The files that a question finds.
  static func paths(
    _ verb: String, _ words: [String], then: @escaping ([String]) throws(MPDRefusal) -> MPDPlan
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
    let question = try LibraryPages("list", ordered(conditions, groups) + window)
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
    let question = try LibraryPages("count", ordered(conditions, names))
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

  /// The names of all songs, or of those that a filter finds.
  private static func files(_ words: [String]) throws(MPDRefusal) -> MPDPlan {
    if !words.isEmpty { _ = try MPDFilterReader.filter(of: words[...], isSearch: false) }
    let question = try LibraryPages("find", words.isEmpty ? ["base", ""] : words)
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

  /// The words in front of a window, and that.
  private static func cutWindow(_ words: [String]) -> (words: [String], window: [String]) {
    guard words.count > 2, words[words.count - 2] == "window" else { return (words, []) }
    return (Array(words.dropLast(2)), Array(words.suffix(2)))
  }

  /// The words in front of those about groups, and the tags that are grouped by, the outermost first: in MPD that is the last one.
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

  /// Takes all rows of a question, page after page. `isOptional`: as many as there are, also where the index does not answer.
  static func rows<Found>(
    _ question: LibraryPages, _ found: Found, isOptional: Bool = false,
    add: @escaping (BoxFields, inout Found) -> Void, then: @escaping (Found) throws(MPDRefusal) -> MPDPlan
  ) -> MPDPlan {
    .list(question.words, mayWait: true, fault: .system, isOptional: isOptional) {
      (rows) throws(MPDRefusal) in
      var found = found
      for row in rows where CommandLineText.canHold(row["path"] ?? "") { add(row, &found) }
      guard !rows.isEmpty, let next = question.after(rows.count) else { return try then(found) }
      guard isOptional || next.taken < maxRows else {
        throw MPDRefusal(.system, "there are more than \(maxRows) answers; ask for a window of them")
      }
      return self.rows(next, found, isOptional: isOptional, add: add, then: then)
    }
  }

  // MARK: What the index holds

  static func libraryFacts(then: @escaping (BoxFields) throws(MPDRefusal) -> MPDPlan) -> MPDPlan {
    .withSettings { (facts) throws(MPDRefusal) in
      guard facts.hasLibrary else { return try then(BoxFields()) }
      return .ask(["library"], mayWait: true) { (answer) throws(MPDRefusal) in
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

/// A question whose answer is taken in pages, because the box bounds the length of its answers.
struct LibraryPages {
  private let verb: String
  private let arguments: [String]
  /// The rows that are still wanted.
  private let rest: Range<Int>
  /// Rows so far.
  let taken: Int

  private static let page = 200

  /// A question with the arguments of a client, whose window is respected.
  init(_ verb: String, _ arguments: [String]) throws(MPDRefusal) {
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

  private init(_ verb: String, _ arguments: [String], _ rest: Range<Int>, taken: Int) {
    self.verb = verb
    self.arguments = arguments
    self.rest = rest
    self.taken = taken
  }

  /// The command for the next page.
  var words: [String] {
    [verb] + arguments + [
      "window", "\(rest.lowerBound):\(min(rest.upperBound, rest.lowerBound + Self.page))",
    ]
  }

  /// What is left after so many rows; nil: nothing.
  func after(_ count: Int) -> LibraryPages? {
    guard count < rest.count else { return nil }
    return LibraryPages(verb, arguments, rest.dropFirst(count), taken: taken + count)
  }
}

/// Lines in which a group is told when it changes.
struct MPDGroups {
  var lines = MPDLines()
  private let names: [String]
  private var last: [String] = []

  init(_ names: [String]) { self.names = names }

  /// Adds a row's values, those of a group only where they are others than before.
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
