// Encodes texts as zero-terminated fields, for messages between processes of this program. Any thread.

/// Encodes fields.
package struct FieldWriter {
  /// The encoded fields.
  package private(set) var bytes: [UInt8] = []

  /// Creates an empty writer.
  package init() {}

  /// Appends a field; zero bytes in it are dropped.
  package mutating func put(_ text: String) {
    bytes.append(contentsOf: text.utf8.lazy.filter { $0 != 0 })
    bytes.append(0)
  }
}

/// Decodes fields.
package struct FieldReader {
  private let fields: [ArraySlice<UInt8>]
  private var index = 0

  /// Creates a reader. Bytes after the last zero are ignored.
  package init(_ bytes: [UInt8]) {
    fields = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast()
  }

  /// The number of fields left.
  package var left: Int { fields.count - index }

  /// The next field; nil after the last.
  package mutating func next() -> String? {
    guard left > 0 else { return nil }
    index += 1
    return String(decoding: fields[index - 1], as: UTF8.self)
  }
}
