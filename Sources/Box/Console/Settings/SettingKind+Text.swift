// Parses numbers, switches and times of day in settings and arguments. Pure; any thread.

import PlaybackModel
import Platform

extension SettingKind {
  /// Parses an integer, optionally followed directly by its unit: `12`, `12%`.
  static func integer(_ word: String, unit: String) -> Int? {
    let digits = withoutUnit(word, unit)
    guard digits.utf8.first != 0x2B, digits.utf8.count <= 12 else { return nil }
    return Int(digits)
  }

  /// Parses a decimal number, optionally followed by its unit: `1.5`, `1.5s`, `-3dB`. If the unit is seconds,
  /// milliseconds are accepted, too: `200ms`.
  static func decimal(_ word: String, unit: String) -> Double? {
    let bytes = Array(word.utf8)
    if unit == "s", bytes.count > 2, bytes[bytes.count - 2] == 0x6D, bytes[bytes.count - 1] == 0x73 {
      return Decimal.parse(withoutUnit(word, "ms")).map { $0 / 1000 }
    }
    return Decimal.parse(withoutUnit(word, unit))
  }

  private static func withoutUnit(_ word: String, _ unit: String) -> Substring {
    let bytes = Array(word.utf8)
    let ending = Array(unit.utf8)
    guard !ending.isEmpty, bytes.count > ending.count else { return word[...] }
    let start = bytes.count - ending.count
    for i in ending.indices where bytes[start + i] | 0x20 != ending[i] | 0x20 { return word[...] }
    return String(decoding: bytes[..<start], as: UTF8.self)[...]
  }

  static func switchValue(_ word: String) -> Bool? {
    switch Spelling.small(word) {
    case "on", "yes", "true", "1": true
    case "off", "no", "false", "0": false
    default: nil
    }
  }

  static func isPIN(_ word: String) -> Bool {
    let count = word.utf8.count
    return count >= 4 && count <= 12 && !word.utf8.contains { $0 < 0x30 || $0 > 0x39 }
  }

  /// Whether a text is the address of a proxy that libcurl supports. Without a scheme it is an HTTP proxy.
  static func isProxy(_ word: String) -> Bool {
    guard word.utf8.count <= 256, !word.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) else {
      return false
    }
    guard let address = AddressText(word.isURI ? word : "http://" + word), !address.hasPath else {
      return false
    }
    return ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(address.scheme)
      && address.problem == nil
  }

  /// Whether a text can be an MQTT topic to publish to, and a prefix of other topics.
  static func isTopic(_ word: String, mostLevels: Int) -> Bool {
    let levels = word.utf8.split(separator: 0x2F, omittingEmptySubsequences: false)
    return word.utf8.count <= 64 && levels.count <= mostLevels && levels.allSatisfy { !$0.isEmpty }
      && !word.utf8.contains { [0x2B, 0x23, 0x24].contains($0) }
  }

  /// Parses `7:00` or `22:30` into minutes since midnight.
  static func timeOfDay(_ word: String) -> Int? {
    let bytes = Array(word.utf8)
    guard bytes.count == 4 || bytes.count == 5, bytes[bytes.count - 3] == 0x3A else { return nil }
    var digits: [Int] = []
    for byte in bytes where byte != 0x3A {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      digits.append(Int(byte) - 0x30)
    }
    guard digits.count == bytes.count - 1 else { return nil }
    let minutes = digits[digits.count - 2] * 10 + digits[digits.count - 1]
    let hours = digits.count == 3 ? digits[0] : digits[0] * 10 + digits[1]
    return hours < 24 && minutes < 60 ? hours * 60 + minutes : nil
  }

  /// Formats a number with at most `decimals` decimals and without trailing zeros.
  static func shortestText(_ number: Double, decimals: Int) -> String {
    var bytes = Array(Decimal.format(number, decimals: decimals).utf8)
    guard bytes.contains(0x2E) else { return String(decoding: bytes, as: UTF8.self) }
    while bytes.last == 0x30 { bytes.removeLast() }
    if bytes.last == 0x2E { bytes.removeLast() }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Joins names into a list: `a, b or c`.
  static func joined(_ names: [String], by last: String = " or ") -> String {
    var text = ""
    for (i, name) in names.enumerated() {
      text += (i == 0 ? "" : i == names.count - 1 ? last : ", ") + name
    }
    return text
  }
}
