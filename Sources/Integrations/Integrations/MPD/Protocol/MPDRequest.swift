// Parses a line of MPD's protocol into a command and its arguments, by the rules of MPD's tokenizer. Pure; total: any
// bytes yield a request or a refusal.

/// A command with its arguments.
package struct MPDRequest: Hashable, Sendable {
  /// Maximum number of arguments, as in MPD.
  package static let maxArguments = 64

  /// The command's name.
  package let command: String
  /// The arguments, unquoted.
  package let arguments: [String]

  /// Parses a line without its newline.
  ///
  /// - Throws: `MPDRefusal` with MPD's error message.
  package init(_ line: [UInt8]) throws(MPDRefusal) {
    var scanner = Scanner(line)
    guard let name = try scanner.name() else { throw MPDRefusal(.unknown, "No command given") }
    var arguments: [String] = []
    while let argument = try scanner.argument() {
      guard arguments.count < Self.maxArguments else { throw MPDRefusal(.argument, "Too many arguments") }
      arguments.append(argument)
    }
    command = name
    self.arguments = arguments
  }
}

private struct Scanner {
  private let bytes: [UInt8]
  private var place = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private mutating func skipBlanks() { while let byte = next, byte == 0x20 || byte == 0x09 { place += 1 } }

  mutating func name() throws(MPDRefusal) -> String? {
    guard let first = next else { return nil }
    guard Self.isLetter(first) else { throw MPDRefusal(.unknown, "Letter expected") }
    let start = place
    while let byte = next, byte != 0x20, byte != 0x09 {
      guard Self.isLetter(byte) || byte == 0x5F || (byte >= 0x30 && byte <= 0x39) else {
        throw MPDRefusal(.unknown, "Invalid word character")
      }
      place += 1
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  mutating func argument() throws(MPDRefusal) -> String? {
    skipBlanks()
    guard let first = next else { return nil }
    if first == 0x22 { return try quoted() }
    let start = place
    while let byte = next, byte != 0x20, byte != 0x09 {
      guard byte > 0x20, byte != 0x22, byte != 0x27 else {
        throw MPDRefusal(.unknown, "Invalid unquoted character")
      }
      place += 1
    }
    return String(decoding: bytes[start..<place], as: UTF8.self)
  }

  private mutating func quoted() throws(MPDRefusal) -> String {
    place += 1
    var text: [UInt8] = []
    while let byte = next, byte != 0x22 {
      place += 1
      if byte == 0x5C {
        guard let escaped = next else { break }
        text.append(escaped)
        place += 1
      } else {
        text.append(byte)
      }
    }
    guard next == 0x22 else { throw MPDRefusal(.unknown, "Missing closing '\"'") }
    place += 1
    if let byte = next, byte != 0x20, byte != 0x09 {
      throw MPDRefusal(.unknown, "Space expected after closing '\"'")
    }
    return String(decoding: text, as: UTF8.self)
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (byte >= 0x61 && byte <= 0x7A) || (byte >= 0x41 && byte <= 0x5A)
  }
}
