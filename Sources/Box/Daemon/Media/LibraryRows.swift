// Rows of the index as answers: lines for people, fields for programs. Pure; control thread.

import Console
import Library
import Platform

/// An answer to a question about the music.
struct LibraryRows {
  let answer: Answer

  /// An answer of some of `total` rows. `updating` is the root that is being looked through.
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

  /// What is said of an index before there is one.
  static func nothing(_ updating: String?) -> LibraryRows {
    let names = ["tracks", "artists", "albums", "length", "unreadable", "updated"]
    let row = names.map { LibraryField(name: $0, value: $0 == "updated" ? "" : "0") }
    return LibraryRows(.summary, [row], 1, updating)
  }

  /// A row as commands answer with it: fields of one name are a list.
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

  /// A field as commands answer with it.
  static func value(_ field: LibraryField) -> FieldValue {
    switch field.name {
    case "number", "disc", "tracks", "artists", "albums", "unreadable":
      Int(field.value).map { .integer($0) } ?? .text(field.value)
    case "length": Decimal.parse(field.value[...]).map { .decimal($0, decimals: 3) } ?? .text(field.value)
    default: .text(field.value)
    }
  }

  /// A track's line for people.
  static func line(_ row: [LibraryField], of path: String) -> String {
    func field(_ name: String) -> String? { row.first { $0.name == name }?.value }
    guard let title = field("title") else { return path }
    return [title, field("artist"), field("album")].compactMap { $0 }.joined(separator: ", ") + ": " + path
  }

  /// The line for people.
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
