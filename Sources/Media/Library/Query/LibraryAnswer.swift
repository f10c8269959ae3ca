// Answers of the music index, and their encoding between processes. Pure; any thread.

import Platform

/// A named field of a row.
package struct LibraryField: Hashable, Sendable {
  /// Name of the field.
  package let name: String
  /// Value of the field.
  package let value: String

  /// Name of the fields with the single values of a multi-value tag; the tag's own field contains all of them.
  package static func several(_ tag: String) -> String { tag + ending }

  private static let ending = "-values"

  /// Whether the field is a single value of a multi-value tag.
  package var isOneOfSeveral: Bool { name.utf8.reversed().starts(with: Self.ending.utf8.reversed()) }

  /// A field.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// An answer of the index, or an error.
package enum LibraryAnswer: HelperAnswer, Hashable {
  /// A part of `total` rows.
  case rows([[LibraryField]], total: Int)
  /// The query is invalid; the end of a sentence.
  case refused(String)
  /// The index cannot be queried; the end of a sentence. If it is broken, rebuilding it helps.
  case fault(String, isBroken: Bool)
  /// The index does not exist yet.
  case missing

  /// The encoded answer.
  package var bytes: [UInt8] {
    var writer = FieldWriter()
    switch self {
    case .rows(let rows, let total):
      writer.put("rows")
      writer.put(String(total))
      for row in rows {
        writer.put(String(row.count))
        for field in row {
          writer.put(field.name)
          writer.put(field.value)
        }
      }
    case .refused(let sentence):
      writer.put("refused")
      writer.put(sentence)
    case .fault(let sentence, let isBroken):
      writer.put(isBroken ? "broken" : "fault")
      writer.put(sentence)
    case .missing: writer.put("missing")
    }
    // Distinguishes a complete answer from a truncated one.
    writer.put("end")
    return writer.bytes
  }

  /// Decodes an answer; nil if it is invalid or truncated.
  package init?(_ bytes: [UInt8]) {
    var reader = FieldReader(bytes)
    guard let kind = reader.next() else { return nil }
    switch kind {
    case "rows":
      guard let total = reader.next().flatMap({ Int($0) }) else { return nil }
      var rows: [[LibraryField]] = []
      while reader.left > 1 {
        guard let count = reader.next().flatMap({ Int($0) }), count >= 0, count * 2 < reader.left else {
          return nil
        }
        var row: [LibraryField] = []
        for _ in 0..<count {
          guard let name = reader.next(), let value = reader.next() else { return nil }
          row.append(LibraryField(name: name, value: value))
        }
        rows.append(row)
      }
      self = .rows(rows, total: total)
    case "refused", "fault", "broken":
      guard let sentence = reader.next() else { return nil }
      self = kind == "refused" ? .refused(sentence) : .fault(sentence, isBroken: kind == "broken")
    case "missing": self = .missing
    default: return nil
    }
    guard reader.left == 1, reader.next() == "end" else { return nil }
  }
}
