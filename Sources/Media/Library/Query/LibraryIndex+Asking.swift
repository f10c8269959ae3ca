// Runs queries on the music index: SQL in, fields out. One thread; blocks on storage.

import Decoding
import Platform

extension LibraryIndex {
  /// Maximum bytes of values in an answer: the output buffer of a session with a slow reader, minus overhead.
  static let maxBytes = 24_000
  /// Maximum bytes of values in a `files` answer. Its truncation would go unnoticed, so it is large.
  private static let maxFileBytes = 400_000

  /// Answers a query about everything below some folders.
  func answer(to question: LibraryQuestion, within roots: [String]) throws(LibraryFault) -> LibraryAnswer {
    var here: LibrarySQL { .any(roots.map { .beneath($0) }) }
    switch question {
    case .tracks(let filter, let isFolded, let order, let window):
      let condition = filter.sql(isFolded: isFolded, within: roots)
      return try rows(Self.facts, condition, order: order.sql, window, areTracks: true) { row in
        Self.track(row)
      }
    case .values(let tag, let filter, let groups, let window):
      let condition = filter.sql(isFolded: false, within: roots)
      let each = Self.eachValue(of: groups + [tag])
      return try rows(
        "SELECT DISTINCT " + each.columns, from: each.tables, condition,
        order: Self.places(groups.count + 1), window
      ) { row in Self.fields(groups + [tag], row) }
    case .count(let filter, let groups, let window):
      let condition = filter.sql(isFolded: false, within: roots)
      // Without groups, all tracks form one group.
      let group = groups.isEmpty ? nil : Self.places(groups.count)
      let each = Self.eachValue(of: groups)
      return try rows(
        "SELECT " + (groups.isEmpty ? "" : each.columns + ", ") + "count(*), coalesce(sum(length), 0)",
        from: each.tables, condition, group: group, order: group ?? "1", window
      ) { row in
        Self.fields(groups, row) + [
          LibraryField(name: "tracks", value: row.text(Int32(groups.count))),
          LibraryField(name: "length", value: Self.seconds(row.integer(Int32(groups.count) + 1))),
        ]
      }
    case .files(let paths):
      let condition = LibrarySQL.all([here, .readable, .any(of: paths)])
      let all = LibraryWindow(0..<LibraryWindow.maxCount)
      return try rows(Self.facts, condition, order: "1", all, maxBytes: Self.maxFileBytes) { row in
        Self.track(row)
      }
    case .summary: return try summary(here)
    case .faults(let window):
      return try rows(
        "SELECT path, fault", .all([here, .faulty]), order: "place", window
      ) { row in
        [LibraryField(name: "path", value: row.text(0)), LibraryField(name: "reason", value: row.text(1))]
      }
    }
  }

  /// The rows of a window and the total number of rows.
  ///
  /// For tracks, the total is counted separately, which is faster than sorting more rows than the window needs.
  private func rows(
    _ select: String, from tables: String = "", _ condition: LibrarySQL, group: String? = nil, order: String,
    _ window: LibraryWindow,
    areTracks: Bool = false, maxBytes: Int = LibraryIndex.maxBytes, _ fields: (Statement) -> [LibraryField]
  ) throws(LibraryFault) -> LibraryAnswer {
    let from = " FROM track" + tables + " WHERE " + condition.text + (group.map { " GROUP BY " + $0 } ?? "")
    let wanted = window.range.prefix(window.count)
    let limit = areTracks ? " LIMIT " + String(wanted.upperBound) : ""
    var found: [[LibraryField]] = []
    var size = 0
    var count = 0
    try database.rows(select + from + " ORDER BY " + order + limit, condition.values) {
      (row) throws(LibraryFault) in
      count += 1
      guard wanted.contains(count - 1), size < maxBytes else { return }
      let row = fields(row)
      size += row.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
      // A row that exceeds the limit by itself is still returned.
      if size < maxBytes || found.isEmpty { found.append(row) }
    }
    // There may be more rows beyond the limit.
    if areTracks, count == wanted.upperBound { count = try self.count(condition) }
    return .rows(found, total: count)
  }

  private func summary(_ here: LibrarySQL) throws(LibraryFault) -> LibraryAnswer {
    let condition = LibrarySQL.all([here, .shown])
    var row: [LibraryField] = []
    try database.rows(
      "SELECT count(*), coalesce(sum(length), 0) FROM track WHERE " + condition.text, condition.values
    ) { (found) throws(LibraryFault) in
      row = [
        LibraryField(name: "tracks", value: found.text(0)),
        LibraryField(name: "length", value: Self.seconds(found.integer(1))),
      ]
    }
    for (name, tag, place) in [("artists", LibraryTag.artist, 1), ("albums", .album, 2)] {
      let each = tag.eachValue(0)
      let count = try database.number(
        "SELECT count(DISTINCT nullif(\(each.column), '')) FROM track\(each.table) WHERE " + condition.text,
        condition.values)
      row.insert(LibraryField(name: name, value: String(count)), at: place)
    }
    let faults = try count(.all([here, .faulty]))
    let updated = try fact(.updated)
    row += [
      LibraryField(name: "unreadable", value: String(faults)),
      LibraryField(name: "updated", value: updated == 0 ? "" : UTCTime.text(updated)),
    ]
    return .rows([row], total: 1)
  }

  /// Columns with a single value of each tag, and the tables they come from.
  private static func eachValue(of tags: [LibraryTag]) -> (columns: String, tables: String) {
    let each = tags.enumerated().map { i, tag in tag.eachValue(i) }
    return (
      each.map { $0.column }.joined(separator: ", "), each.map { $0.table }.joined(separator: "")
    )
  }

  /// The values in a multi-value column.
  static func values(_ text: String) -> [String] {
    text.utf8.split(separator: separatorByte).map { String(decoding: Array($0), as: UTF8.self) }
  }

  /// The first `count` columns, by number.
  private static func places(_ count: Int) -> String {
    (1...max(count, 1)).map { String($0) }.joined(separator: ", ")
  }

  private static func fields(_ tags: [LibraryTag], _ row: Statement) -> [LibraryField] {
    tags.enumerated().map { i, tag in LibraryField(name: tag.name, value: row.text(Int32(i))) }
  }

  /// Milliseconds, formatted as seconds with three decimals.
  private static func seconds(_ milliseconds: Int64) -> String {
    let rest = String(milliseconds % 1000)
    return String(milliseconds / 1000) + "." + String("000".dropLast(rest.utf8.count)) + rest
  }

  /// Selects the columns that `track` reads.
  private static let facts =
    "SELECT path, title, artist, album, albumartist, genre, date, disc, number, length, modified, added, rate, bits, channels, indexed"

  private static func track(_ row: Statement) -> [LibraryField] {
    var fields = [LibraryField(name: "path", value: row.text(0))]
    func add(_ name: String, _ value: String) {
      if !value.utf8.isEmpty { fields.append(LibraryField(name: name, value: value)) }
    }
    for (i, name) in ["title", "artist", "album", "albumartist", "genre", "date"].enumerated() {
      let values = Self.values(row.text(Int32(i) + 1))
      add(name, StreamInfo.Tags.joined(values))
      // Each of multiple values also gets its own field.
      if values.count > 1 { for value in values { add(LibraryField.several(name), value) } }
    }
    if row.integer(7) > 0 { add("disc", row.text(7)) }
    if row.integer(8) > 0 { add("number", row.text(8)) }
    if row.integer(9) > 0 { add("length", seconds(row.integer(9))) }
    add("modified", UTCTime.text(row.integer(10)))
    add("added", UTCTime.text(row.integer(11)))
    // Lossy codecs have no bit depth.
    let bits = row.integer(13) > 0 ? row.text(13) : "f"
    // The file is replaced by the tracks of its cue sheet.
    if row.integer(15) > 0 { add("sheet", "yes") }
    if row.integer(12) > 0 { add("format", row.text(12) + ":" + bits + ":" + row.text(14)) }
    return fields
  }
}
