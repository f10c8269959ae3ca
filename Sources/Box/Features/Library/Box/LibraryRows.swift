// Formats rows of the media index as replies, with text lines and fields. Pure functions; control thread.

import Console
import Library
import Platform

/// Reply to a `library` query.
struct LibraryRows {
  let answer: Answer

  /// Formats rows of a result.
  ///
  /// - Parameters:
  ///   - command: The query.
  ///   - rows: The rows.
  ///   - total: Number of matches, of which `rows` may be a part.
  ///   - updating: Media root being indexed; nil: none.
  init(_ command: LibraryCommand, _ rows: [[LibraryField]], _ total: Int, _ updating: String?) {
    if command == .summary {
      answer = Answer(
        fields: (rows.first ?? []).map { field in
          field.name == "updated"
            ? Field("updated", field.value.utf8.isEmpty ? .none : .text(field.value))
            : Field(field.name, LibraryRows.value(field))
        } + [Field("updating", updating != nil)] + (updating.map { [Field("root", $0)] } ?? []))
      return
    }
    var message =
      rows.count < total ? "\(rows.count) of \(total); 'window FROM:TO' lists others" : "\(total) in all"
    if let updating { message += "; still looking through " + updating }
    answer = Answer(
      message,
      rows: rows.map { row in
        Row(LibraryRows.text(row, command), LibraryRows.fields(row))
      })
  }

  /// Summary of an index that does not exist yet.
  static func nothing(_ updating: String?) -> LibraryRows {
    let names = ["tracks", "artists", "albums", "length", "unreadable", "updated"]
    let row = names.map { LibraryField(name: $0, value: $0 == "updated" ? "" : "0") }
    return LibraryRows(.summary, [row], 1, updating)
  }

  /// Reply fields of a row; repeated fields with one name are merged into a list.
  static func fields(_ row: [LibraryField]) -> [Field] {
    var fields: [Field] = []
    for field in row {
      guard field.isOneOfSeveral else {
        fields.append(Field(field.name, value(field)))
        continue
      }
      if let last = fields.last, last.name == field.name, case .list(let texts) = last.value {
        fields[fields.count - 1].value = .list(texts + [field.value])
      } else {
        fields.append(Field(field.name, .list([field.value])))
      }
    }
    return fields
  }

  /// Reply value of a field, with numbers as numbers.
  static func value(_ field: LibraryField) -> FieldValue {
    switch field.name {
    case "number", "disc", "tracks", "artists", "albums", "unreadable":
      Int(field.value).map { .integer($0) } ?? .text(field.value)
    case "length": Decimal.parse(field.value[...]).map { .decimal($0, decimals: 3) } ?? .text(field.value)
    default: .text(field.value)
    }
  }

  /// Text line of a track.
  static func line(_ row: [LibraryField], of path: String) -> String {
    func field(_ name: String) -> String? { row.first { $0.name == name }?.value }
    guard let title = field("title") else { return path }
    return [title, field("artist"), field("album")].compactMap { $0 }.joined(separator: ", ") + ": " + path
  }

  /// Text line of a row.
  private static func text(_ row: [LibraryField], _ command: LibraryCommand) -> String {
    func field(_ name: String) -> String? { row.first { $0.name == name }?.value }
    switch command {
    case .find, .search, .queue:
      return line(row, of: field("path") ?? "")
    case .faults: return (field("path") ?? "") + ": " + (field("reason") ?? "")
    case .count:
      let group = row.dropLast(2).map { $0.value }
      let length = Decimal.clock(seconds: Decimal.parse((field("length") ?? "0")[...]) ?? 0)
      let count = (field("tracks") ?? "0") == "1" ? "1 track" : (field("tracks") ?? "0") + " tracks"
      return (group.isEmpty ? "" : group.joined(separator: ", ") + ": ") + count + ", " + length
    case .list, .summary, .update, .rebuild:
      return row.map { $0.value.utf8.isEmpty ? "(none)" : $0.value }.joined(separator: ", ")
    }
  }
}
