// Tokenizes filter expressions for music, such as `(artist == "Harbour")`. Input is untrusted: accepts any
// bytes. Pure; any thread.

/// A scanner over a filter expression.
package struct FilterScanner: Sendable {
  /// The reason why there is no quoted value.
  package enum QuoteFault: Error {
    case missing, unclosed
  }

  private let bytes: [UInt8]
  /// The index of the next byte.
  package private(set) var place = 0

  /// Creates a scanner at the beginning of an expression.
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// The whole expression.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The next byte after blanks; nil at the end. Skips the blanks.
  package var next: UInt8? {
    mutating get {
      while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
      return place < bytes.count ? bytes[place] : nil
    }
  }

  /// Consumes a byte if it is the next one after blanks.
  package mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  /// Consumes a word after blanks: the following bytes up to a blank or a byte that `belongs` rejects.
  package mutating func word(of belongs: (UInt8) -> Bool) -> String {
    guard next != nil else { return "" }
    let start = place
    while place < bytes.count, !Self.isBlank(bytes[place]), belongs(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// Consumes a value in single or double quotes; a backslash makes the next character literal.
  package mutating func quoted() throws(QuoteFault) -> String {
    guard let quote = next, quote == 0x22 || quote == 0x27 else { throw .missing }
    place += 1
    var value: [UInt8] = []
    while place < bytes.count, bytes[place] != quote {
      if bytes[place] == 0x5C, place + 1 < bytes.count { place += 1 }
      value.append(bytes[place])
      place += 1
    }
    guard place < bytes.count else { throw .unclosed }
    place += 1
    return String(decoding: value, as: UTF8.self)
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}
