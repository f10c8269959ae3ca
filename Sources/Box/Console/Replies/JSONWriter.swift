// Writes a JSON object (RFC 8259) incrementally. Pure; any thread.

import Platform

/// An incremental writer for one JSON object.
package struct JSONWriter: Sendable {
  private(set) var bytes: [UInt8] = [0x7B]
  /// Whether the next member or element needs a comma before it.
  private var needsComma = false

  /// Creates an object without members.
  package init() {}

  /// The complete object with the members so far.
  package var finished: [UInt8] { bytes + [0x7D] }

  /// Adds a member.
  package mutating func add(_ name: String, _ value: FieldValue) {
    begin(name)
    write(value)
    needsComma = true
  }

  /// Adds a member that is an object.
  package mutating func add(_ name: String, _ fields: [Field]) {
    begin(name)
    write(fields)
  }

  /// Begins a member that is a list; `endList` must follow.
  package mutating func beginList(_ name: String) {
    begin(name)
    bytes.append(0x5B)
    needsComma = false
  }

  /// Adds an object to the open list.
  package mutating func addElement(_ fields: [Field]) {
    if needsComma { bytes.append(0x2C) }
    write(fields)
  }

  /// Adds a string to the open list.
  package mutating func addElement(_ text: String) {
    if needsComma { bytes.append(0x2C) }
    write(text)
    needsComma = true
  }

  /// Ends the open list.
  package mutating func endList() {
    bytes.append(0x5D)
    needsComma = true
  }

  private mutating func begin(_ name: String) {
    if needsComma { bytes.append(0x2C) }
    write(name)
    bytes.append(0x3A)
  }

  private mutating func write(_ fields: [Field]) {
    bytes.append(0x7B)
    needsComma = false
    for field in fields { add(field.name, field.value) }
    bytes.append(0x7D)
    needsComma = true
  }

  private mutating func write(_ value: FieldValue) {
    switch value {
    case .text(let text): write(text)
    case .integer(let number): bytes += Array(String(number).utf8)
    case .decimal(let number, let decimals):
      // JSON has no infinity or NaN, and `Decimal.format` returns no digits for huge numbers; all of these
      // become null.
      let isNumber = number > -1e12 && number < 1e12
      bytes += Array((isNumber ? TextWriter.decimal(number, decimals) : "null").utf8)
    case .isOn(let isOn): bytes += Array((isOn ? "true" : "false").utf8)
    case .list(let texts):
      bytes.append(0x5B)
      needsComma = false
      for text in texts { addElement(text) }
      bytes.append(0x5D)
    case .none: bytes += Array("null".utf8)
    }
  }

  /// Writes a string, cut to `Reply.maxTextLength` bytes, with control characters (C0, DEL and C1) as \u
  /// escapes.
  private mutating func write(_ text: String) {
    let all = Array(text.utf8)
    bytes.append(0x22)
    var i = 0
    while i < all.count {
      let length = UTF8Check.scalarLength(all, at: i) ?? 1
      guard i + length <= Reply.maxTextLength else {
        bytes += Array("…".utf8)
        break
      }
      switch all[i] {
      case 0x22, 0x5C: bytes += [0x5C, all[i]]
      case 0x0A: bytes += [0x5C, 0x6E]
      case 0x09: bytes += [0x5C, 0x74]
      default:
        if UTF8Check.isControl(all, at: i) {
          let code = String(all[i + length - 1], radix: 16)
          bytes += Array("\\u00".utf8) + (code.utf8.count < 2 ? [0x30] : []) + Array(code.utf8)
        } else {
          bytes += all[i..<(i + length)]
        }
      }
      i += length
    }
    bytes.append(0x22)
  }
}
