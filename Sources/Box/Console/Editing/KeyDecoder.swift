// Decodes terminal input into keys: control characters, UTF-8, and escape sequences (ECMA-48, VT100, xterm).
// Pure; control thread.

/// A key press that the line editor handles.
enum Key: Hashable, Sendable {
  /// The UTF-8 bytes of a printable character.
  case character([UInt8])
  case enter, tab, interrupt
  /// ^D: deletes a character, or ends the session on an empty line.
  case endOrDelete
  case clearScreen
  case left, right, wordLeft, wordRight, home, end, up, down
  case backspace, delete
  case killToEnd, killToStart, killWordBack, killWord
  case yank, transpose
}

/// A byte-by-byte decoder with bounded state. Bytes that form neither a key nor a character are dropped.
struct KeyDecoder: Sendable {
  private enum State: Sendable {
    case ground
    case escape
    /// After ESC [ or ESC O, with the parameter bytes read so far.
    case sequence([UInt8])
  }

  private var state = State.ground
  private var scalar: [UInt8] = []
  private var lastWasReturn = false

  /// The most parameter bytes of a sequence; keyboards send fewer.
  private static let maxSequence = 16

  mutating func take(_ byte: UInt8) -> Key? {
    let followsReturn = lastWasReturn
    lastWasReturn = byte == 0x0D
    if byte < 0x20 || byte == 0x7F {
      // A control character ends an incomplete character or sequence.
      scalar = []
      if byte == 0x1B {
        state = .escape
        return nil
      }
      state = .ground
      return byte == 0x0A && followsReturn ? nil : Self.control(byte)
    }
    switch state {
    case .escape:
      state = byte == 0x5B || byte == 0x4F ? .sequence([]) : .ground
      return byte < 0x80 ? Self.meta(byte) : nil
    case .sequence(var parameters):
      if byte >= 0x40 || parameters.count >= Self.maxSequence {
        state = .ground
        return byte < 0x7F ? Self.key(parameters, byte) : nil
      }
      parameters.append(byte)
      state = .sequence(parameters)
      return nil
    case .ground: return text(byte)
    }
  }

  private mutating func text(_ byte: UInt8) -> Key? {
    if byte < 0x80 {
      scalar = []
      return .character([byte])
    }
    // A lead byte discards an incomplete character.
    if byte >= 0xC0 { scalar = [] }
    guard byte >= 0xC0 || !scalar.isEmpty else { return nil }
    scalar.append(byte)
    let wanted = scalar[0] < 0xE0 ? 2 : scalar[0] < 0xF0 ? 3 : 4
    guard scalar.count == wanted else { return nil }
    let whole = scalar
    scalar = []
    guard UTF8Check.scalarLength(whole, at: 0) == wanted, !UTF8Check.isControl(whole, at: 0) else {
      return nil
    }
    return .character(whole)
  }

  private static func control(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x01: .home
    case 0x02: .left
    case 0x03: .interrupt
    case 0x04: .endOrDelete
    case 0x05: .end
    case 0x06: .right
    case 0x08, 0x7F: .backspace
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x0B: .killToEnd
    case 0x0C: .clearScreen
    case 0x0E: .down
    case 0x10: .up
    case 0x14: .transpose
    case 0x15: .killToStart
    case 0x17: .killWordBack
    case 0x19: .yank
    default: nil
    }
  }

  private static func meta(_ byte: UInt8) -> Key? {
    switch byte {
    case 0x62: .wordLeft
    case 0x64: .killWord
    case 0x66: .wordRight
    default: nil
    }
  }

  private static func key(_ parameters: [UInt8], _ final: UInt8) -> Key? {
    // xterm sends Ctrl and Alt with an arrow key as `1;5C` and `1;3C`.
    let isModified = parameters.count == 3 && parameters[1] == 0x3B
    switch final {
    case 0x41: return .up
    case 0x42: return .down
    case 0x43: return isModified ? .wordRight : .right
    case 0x44: return isModified ? .wordLeft : .left
    case 0x46: return .end
    case 0x48: return .home
    case 0x7E:
      switch parameters.first {
      case 0x31, 0x37: return .home
      case 0x33: return .delete
      case 0x34, 0x38: return .end
      default: return nil
      }
    default: return nil
    }
  }
}
