// Detects and masks passwords and PINs in command lines, for history and reports. Pure; any thread.

import Platform

/// Finds secrets in command lines, also after a misspelt setting name: `set mqtt.pasword x`.
enum SecretLine {
  /// Whether a line contains a secret.
  static func isSecret(_ line: [UInt8]) -> Bool { name(in: line) != nil }

  /// Replaces everything after the word that names the secret with `****`. A line without a secret is
  /// returned unchanged.
  static func masked(_ line: [UInt8]) -> [UInt8] {
    guard let name = name(in: line), name.endIndex < line.endIndex else { return line }
    return line[..<name.endIndex] + Array(" ****".utf8)
  }

  /// Replaces an error whose sentence would repeat the secret of its line.
  static func masked(_ error: ConsoleError, about line: [UInt8]) -> ConsoleError {
    guard let name = name(in: line) else { return error }
    let hidden = line[name.endIndex...].split { $0 == 0x20 || $0 == 0x09 || $0 == 0x22 || $0 == 0x27 }
    let sentence = Array(error.sentence.utf8)
    guard hidden.contains(where: { part in sentence.indices.contains { sentence[$0...].starts(with: part) } })
    else { return error }
    let shown = String(decoding: line[..<name.endIndex], as: UTF8.self).printable()
    return ConsoleError(
      error.kind,
      "'" + shown + "' has a value that it does not take; the value is not shown, because it may be secret")
  }

  /// The word that announces a secret: the command `pin`, or the key of a secret setting.
  private static func name(in line: [UInt8]) -> ArraySlice<UInt8>? {
    let words = line.split { $0 == 0x20 || $0 == 0x09 }
    guard let first = words.first else { return nil }
    if text(first) == "pin" { return first }
    if let exact = words.first(where: { isSecretKey(text($0)) }) { return exact }
    guard text(first) == "set", words.count > 1, Setting(key: text(words[1])) == nil else { return nil }
    let meant = NearestWord.find(to: text(words[1]), among: SettingTable.keys)
    return meant.map(isSecretKey) == true ? words[1] : nil
  }

  private static func isSecretKey(_ text: String) -> Bool { Setting(key: text)?.declaration.isSecret == true }

  private static func text(_ word: ArraySlice<UInt8>) -> String {
    Spelling.small(String(decoding: word.filter { $0 != 0x22 && $0 != 0x27 }, as: UTF8.self))
  }
}
