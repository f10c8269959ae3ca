// A minimal JSON scanner for integer and boolean members of an object. Pure; receiver's process, single thread.

/// Scans one object. Nested values are skipped, up to a maximum depth.
struct ObjectScanner {
  /// The value of a member.
  enum Value: Hashable {
    case whole(Int)
    case yes
    case no
    /// A string, null, a fraction, an array or an object.
    case other

    var number: Int? { if case .whole(let number) = self { number } else { nil } }
  }

  private static let deepest = 8
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Passes all members to `take`.
  ///
  /// - Returns: False if the bytes are not a single valid object.
  mutating func read(_ take: (String, Value) -> Void) -> Bool {
    guard members(0, take) else { return false }
    skipSpace()
    return rest.isEmpty
  }

  private mutating func members(_ depth: Int, _ take: (String, Value) -> Void) -> Bool {
    guard depth < Self.deepest, accept(0x7B) else { return false }
    if accept(0x7D) { return true }
    repeat {
      guard let name = text(), accept(0x3A), let value = value(depth) else { return false }
      take(name, value)
    } while accept(0x2C)
    return accept(0x7D)
  }

  private mutating func value(_ depth: Int) -> Value? {
    skipSpace()
    switch rest.first {
    case 0x7B: return members(depth + 1, { _, _ in }) ? .other : nil
    case 0x5B: return list(depth + 1) ? .other : nil
    case 0x22: return text() == nil ? nil : .other
    case 0x74: return word("true") ? .yes : nil
    case 0x66: return word("false") ? .no : nil
    case 0x6E: return word("null") ? .other : nil
    default: return number()
    }
  }

  private mutating func list(_ depth: Int) -> Bool {
    guard depth < Self.deepest, accept(0x5B) else { return false }
    if accept(0x5D) { return true }
    repeat { guard value(depth) != nil else { return false } } while accept(0x2C)
    return accept(0x5D)
  }

  private mutating func number() -> Value? {
    let word = rest.prefix {
      switch $0 {
      case 0x30...0x39, 0x2B, 0x2D, 0x2E, 0x45, 0x65: true
      default: false
      }
    }
    guard !word.isEmpty, word.count <= 32 else { return nil }
    rest = rest.dropFirst(word.count)
    return Int(String(decoding: Array(word), as: UTF8.self)).map { .whole($0) } ?? .other
  }

  /// Scans a string. Escape sequences are kept as they appear.
  private mutating func text() -> String? {
    guard accept(0x22) else { return nil }
    var bytes: [UInt8] = []
    while let byte = rest.popFirst() {
      if byte == 0x22 { return String(decoding: bytes, as: UTF8.self) }
      bytes.append(byte)
      guard byte == 0x5C else { continue }
      guard let next = rest.popFirst() else { return nil }
      bytes.append(next)
    }
    return nil
  }

  private mutating func word(_ word: String) -> Bool {
    guard rest.starts(with: word.utf8) else { return false }
    rest = rest.dropFirst(word.utf8.count)
    return true
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    skipSpace()
    guard rest.first == byte else { return false }
    rest = rest.dropFirst()
    return true
  }

  private mutating func skipSpace() {
    while let byte = rest.first, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D {
      rest = rest.dropFirst()
    }
  }
}
