// What the index answers, as a value and as bytes between processes. Pure; any thread.

import Platform

/// A field of a row.
package struct LibraryField: Hashable, Sendable {
  /// Its name.
  package let name: String
  /// Its value.
  package let value: String

  /// What each value of a tag is called where it has several; the tag's own field has all of them in one text.
  package static func several(_ tag: String) -> String { tag + ending }

  private static let ending = "-values"

  /// Whether it is one of several fields with its name.
  package var isOneOfSeveral: Bool { name.utf8.reversed().starts(with: Self.ending.utf8.reversed()) }

  /// A field.
  package init(name: String, value: String) {
    self.name = name
    self.value = value
  }
}

/// An answer of the index, or why there is none.
package enum LibraryAnswer: Hashable, Sendable {
  /// Some of `total` rows.
  case rows([[LibraryField]], total: Int)
  /// The question makes no sense: the end of a sentence.
  case refused(String)
  /// The index cannot be asked: the end of a sentence. Where it is broken, another one in its place helps.
  case fault(String, isBroken: Bool)
  /// There is none yet.
  case missing

  /// The answer as its process writes it.
  var bytes: [UInt8] {
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
    // By this one it is told from one that broke off.
    writer.put("end")
    return writer.bytes
  }

  /// The answer that bytes are; nil if they are none, or not all of one.
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
