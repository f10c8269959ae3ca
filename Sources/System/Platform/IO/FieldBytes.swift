// Texts as bytes, each ended by a zero, which no name holds: what processes of one program say to each other. Any thread.

/// Writes fields.
package struct FieldWriter {
  /// What was written so far.
  package private(set) var bytes: [UInt8] = []

  /// Nothing yet.
  package init() {}

  /// Writes a field; zeros in it are left out.
  package mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8.lazy.filter { $0 != 0 })
    bytes.append(0)
  }
}

/// Reads fields.
package struct FieldReader {
  private let fields: [ArraySlice<UInt8>]
  private var index = 0

  /// The fields of these bytes. What is behind the last zero is none.
  package init(_ bytes: [UInt8]) {
    fields = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
  }

  /// How many are left.
  package var left: Int { fields.count - index }

  /// The next field; nil after the last.
  package mutating func next() -> String? {
    guard left > 0 else { return nil }
    index += 1
    return String(decoding: fields[index - 1], as: UTF8.self)
  }
}
