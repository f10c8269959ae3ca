// Parses numbers, booleans and ranges in MPD command arguments, with MPD's error messages. Pure; total.

import Platform

enum MPDArguments {
  /// Maximum of a count, such that the sum of two fits into 32 bits.
  static let maximum = 1 << 29

  /// Parses a 32-bit integer.
  static func integer(_ text: String) throws(MPDRefusal) -> Int {
    guard let number = Int(text), text.utf8.count <= 20 else {
      throw MPDRefusal(.argument, "Integer expected: \(text)")
    }
    guard Int32(exactly: number) != nil else { throw MPDRefusal(.argument, "Number too large: \(text)") }
    return number
  }

  /// Parses an integer from 0 to `most`.
  static func count(_ text: String, most: Int = maximum) throws(MPDRefusal) -> Int {
    let number = try integer(text)
    guard number >= 0, number <= most else { throw MPDRefusal(.argument, "Number too large: \(text)") }
    return number
  }

  /// Parses 0 or 1.
  static func isOn(_ text: String) throws(MPDRefusal) -> Bool {
    switch Int(text) {
    case 0: return false
    case 1: return true
    default: throw MPDRefusal(.argument, "Boolean (0/1) expected: \(text)")
    }
  }

  /// Parses seconds, with or without a fraction.
  static func seconds(_ text: String) throws(MPDRefusal) -> Double {
    let digits = text.utf8.first == 0x2B ? String(decoding: text.utf8.dropFirst(), as: UTF8.self) : text
    guard let number = Decimal.parse(digits[...]), number >= -1e7, number <= 1e7,
      digits.utf8.count == text.utf8.count || digits.utf8.first != 0x2D
    else {
      throw MPDRefusal(.argument, "Float expected: \(text)")
    }
    return number
  }

  /// Parses `5`, `5:10` or `5:` as a half-open range, clamped to `count`.
  ///
  /// - Parameters:
  ///   - text: The argument.
  ///   - count: The number of items.
  /// - Throws: `MPDRefusal` if the argument is malformed or begins beyond `count`.
  static func range(_ text: String, count: Int) throws(MPDRefusal) -> Range<Int> {
    // MPD accepts -1 for the whole list.
    if text == "-1" { return 0..<count }
    let parts = text.utf8.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
    let first = try number(parts.first ?? text.utf8[...], in: text)
    guard parts.count == 2 else {
      // As in MPD, the position right after the last item is an empty range.
      guard first <= count else { throw .badSongIndex }
      return first..<(first < count ? first + 1 : first)
    }
    let last = parts[1].isEmpty ? Int.max : try number(parts[1], in: text)
    guard first <= last else { throw MPDRefusal(.argument, "Malformed range: \(text)") }
    guard first <= count else { throw .badSongIndex }
    return first..<min(last, count)
  }

  private static func number(_ digits: Substring.UTF8View, in text: String) throws(MPDRefusal) -> Int {
    guard digits.count <= 20, let number = Int64(String(decoding: digits, as: UTF8.self)) else {
      throw MPDRefusal(.argument, "Integer or range expected: \(text)")
    }
    guard number >= 0 else { throw MPDRefusal(.argument, "Number is negative: \(text)") }
    guard let place = Int32(exactly: number) else { throw MPDRefusal(.argument, "Number too large: \(text)") }
    return Int(place)
  }
}
