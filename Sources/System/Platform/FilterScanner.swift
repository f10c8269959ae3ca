// The words, signs and quoted values of expressions that say which music is meant, such as `(artist == "Harbour")`. Pure; any thread;
// total: of strangers' bytes.

/// Takes an expression apart, from its beginning on.
package struct FilterScanner: Sendable {
  /// Why there is no quoted value.
  package enum QuoteFault: Error {
    case missing, unclosed
  }

  private let bytes: [UInt8]
  /// How many bytes are behind it.
  package private(set) var place = 0

  /// The beginning of an expression.
  package init(_ text: String) { bytes = Array(text.utf8) }

  /// All of the expression.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The next byte that is no blank; nil at the end.
  package var next: UInt8? {
    mutating get {
      while place < bytes.count, Self.isBlank(bytes[place]) { place += 1 }
      return place < bytes.count ? bytes[place] : nil
    }
  }

  /// Takes that byte, if it is the next one.
  package mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  /// Takes what belongs to a word, behind blanks: to the first blank, or the first byte that does not belong to it.
  package mutating func word(of belongs: (UInt8) -> Bool) -> String {
    guard next != nil else { return "" }
    let start = place
    while place < bytes.count, !Self.isBlank(bytes[place]), belongs(bytes[place]) { place += 1 }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  /// Takes a value in quotes of either kind; a backslash takes the next character as it is.
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
