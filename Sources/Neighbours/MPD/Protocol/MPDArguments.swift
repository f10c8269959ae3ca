// Numbers, switches and ranges in the arguments of MPD's commands, with its words where they are wrong. Pure; total.

import Platform

enum MPDArguments {
  /// Sums of two stay numbers on any processor.
  static let largest = 1 << 29

  /// A whole number.
  static func integer(_ text: String) throws(MPDRefusal) -> Int {
    guard let number = Int(text), text.utf8.count <= 12 else {
      throw MPDRefusal(.argument, "Integer expected: \(text)")
    }
    return number
  }

  /// A whole number from nothing on.
  static func count(_ text: String, most: Int = largest) throws(MPDRefusal) -> Int {
    let number = try integer(text)
    guard number >= 0 else { throw MPDRefusal(.argument, "Number is negative: \(text)") }
    guard number <= most else { throw MPDRefusal(.argument, "Number too large: \(text)") }
    return number
  }

  /// 0 or 1.
  static func isOn(_ text: String) throws(MPDRefusal) -> Bool {
    switch text {
    case "0": return false
    case "1": return true
    default: throw MPDRefusal(.argument, "Boolean (0/1) expected: \(text)")
    }
  }

  /// Seconds, with a fraction or without.
  static func seconds(_ text: String) throws(MPDRefusal) -> Double {
    guard let number = Decimal.parse(text[...]), number >= -1e7, number <= 1e7 else {
      throw MPDRefusal(.argument, "Float expected: \(text)")
    }
    return number
  }

  /// `5`, `5:10`, `5:` or `:`, within what there is: from the first to before the last. The end may lie beyond.
  static func range(_ text: String, count: Int) throws(MPDRefusal) -> Range<Int> {
    let parts = text.utf8.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    let first = parts.isEmpty || parts[0].isEmpty ? 0 : try number(parts[0], in: text)
    guard parts.count == 2 else {
      // MPD's own word for all there is.
      if text == "-1" { return 0..<count }
      // As MPD has it: right behind the last there is nothing, and that is no error.
      guard first <= count else { throw .badSongIndex }
      return first..<min(first + 1, count)
    }
    let last = parts[1].isEmpty ? count : try number(parts[1], in: text)
    guard first <= last, first <= count else { throw .badSongIndex }
    return first..<min(last, count)
  }

  private static func number(_ digits: Substring.UTF8View, in text: String) throws(MPDRefusal) -> Int {
    let word = String(decoding: digits, as: UTF8.self)
    if word == "-1" { return 0 }
    guard digits.count <= 9, let number = Int(word), word.utf8.first != 0x2B else {
      throw MPDRefusal(.argument, "Integer or range expected: \(text)")
    }
    guard number >= 0 else { throw MPDRefusal(.argument, "Number is negative: \(text)") }
    return number
  }
}
