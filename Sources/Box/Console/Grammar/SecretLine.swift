// Detects and masks passwords and PINs in command lines, for history, errors and reports. Pure; any thread.

import PlaybackModel
import Platform

/// Finds secrets in command lines, also after a misspelt or unknown name: `set mqtt.pasword x`, `password=x`.
enum SecretLine {
  /// Parts of names that announce a secret.
  private static let marks = ["pass", "secret", "token", "psk", "pwd", "kennwort"]
  /// Parts of names that announce a secret if they stand alone, as in `wifi.key`.
  private static let partMarks = ["pin", "key"]

  /// Whether a line contains a secret.
  static func isSecret(_ line: [UInt8]) -> Bool { name(in: line) != nil }

  /// The line as far as its words are known: the command and the setting, misspelt ones included. `****` takes the
  /// place of the rest if that may be secret, else `…`.
  static func quoted(_ line: [UInt8]) -> String {
    let words = words(of: line)
    let count = commandLength(words)
    var known = words[..<count].map { String(decoding: $0, as: UTF8.self) }
    if count > 0, words.count > count, settingCommands.contains(text(words[0])) {
      // Without a value that follows an `=`.
      let key = words[count].prefix { $0 != 0x3D && $0 != 0x3A }
      if isSetting(text(key)) { known.append(String(decoding: key, as: UTF8.self)) }
      if known.count > count, words.count == count + 1, key.count == words[count].count {
        return known.joined(separator: " ")
      }
    } else if count == words.count {
      return known.joined(separator: " ")
    }
    return (known + [isSecret(line) || hasAddressSecret(line) ? "****" : "…"]).joined(separator: " ")
  }

  /// Hides the secret of a line, and secrets in addresses, in an error about it.
  static func masked(_ error: ConsoleError, about line: [UInt8]) -> ConsoleError {
    var error = error
    error.sentence = masked(error.sentence, error.kind, about: line)
    error.sentenceInFile = error.sentenceInFile.map { masked($0, error.kind, about: line) }
    return error
  }

  /// An error as it is reported about a line of a file. It quotes no value of settings that have a password beside
  /// them, because the password may be on their line.
  static func inFile(_ error: ConsoleError, about line: [UInt8]) -> ConsoleError {
    let error = masked(error, about: line)
    let sentence = error.sentenceInFile ?? error.sentence
    let quotesValue = error.kind == .wrongUsage || error.kind == .badValue
    return ConsoleError(
      error.kind, quotesValue ? withoutValues(sentence, about: line) : sentence, column: error.column)
  }

  // MARK: Sentences

  private static func masked(_ sentence: String, _ kind: ConsoleError.Kind, about line: [UInt8]) -> String {
    guard let name = name(in: line) else { return withoutAddressSecrets(sentence) }
    let hidden = line[name.endIndex...].split { isBlank($0) || isQuote($0) || $0 == 0x3D || $0 == 0x3A }
    // User input stands between quotation marks.
    let bytes = Array(sentence.utf8)
    guard let first = bytes.firstIndex(of: 0x27), let last = bytes.lastIndex(of: 0x27), first < last else {
      return withoutAddressSecrets(sentence)
    }
    let quoted = bytes[first...last]
    guard hidden.contains(where: { part in quoted.indices.contains { quoted[$0...].starts(with: part) } })
    else { return withoutAddressSecrets(sentence) }
    if kind == .unknownCommand {
      return "a word of the line is no command; the line is not shown, because it may hold a secret"
    }
    let shown = String(decoding: line[..<name.endIndex], as: UTF8.self).printable()
    return "'" + shown
      + "' has a value that it does not take; the value is not shown, because it may be secret"
  }

  /// Replaces the values that a sentence quotes from a line about MQTT or MPD by `…`.
  private static func withoutValues(_ sentence: String, about line: [UInt8]) -> String {
    guard let key = words(of: line).first(where: { hasPasswordBeside(text($0)) }) else { return sentence }
    let values = line[key.endIndex...].split { isBlank($0) || isQuote($0) }
    // User input stands between quotation marks.
    let pieces = Array(sentence.utf8).split(separator: 0x27, omittingEmptySubsequences: false)
    var shown: [UInt8] = []
    for (index, piece) in pieces.enumerated() {
      if index > 0 { shown.append(0x27) }
      let isValue =
        index % 2 == 1
        && values.contains { value in piece.indices.contains { piece[$0...].starts(with: value) } }
      shown += isValue ? Array("…".utf8) : Array(piece)
    }
    return String(decoding: shown, as: UTF8.self)
  }

  /// Whether a text is the key of a setting of MQTT or MPD.
  private static func hasPasswordBeside(_ text: String) -> Bool {
    text.utf8.starts(with: "mqtt.".utf8) || text.utf8.starts(with: "mpd.".utf8)
  }

  /// Replaces user names and passwords in addresses (`http://user:password@host`), and the values of parameters
  /// such as `token=`, by `****`.
  static func withoutAddressSecrets(_ text: String) -> String {
    let bytes = Array(text.withoutUserInfo.utf8)
    var shown: [UInt8] = []
    var start = 0
    while start < bytes.count {
      var end = start
      while end < bytes.count, !isBlank(bytes[end]), !isQuote(bytes[end]) { end += 1 }
      shown += withoutSecrets(bytes[start..<end])
      if end < bytes.count { shown.append(bytes[end]) }
      start = end + 1
    }
    return String(decoding: shown, as: UTF8.self)
  }

  private static func hasAddressSecret(_ line: [UInt8]) -> Bool {
    let text = String(decoding: line, as: UTF8.self)
    return withoutAddressSecrets(text) != text
  }

  /// Masks the values of parameters such as `token=` in one word.
  private static func withoutSecrets(_ word: ArraySlice<UInt8>) -> [UInt8] {
    var word = Array(word)
    let mask = Array("****".utf8)
    var start = 0
    while let sign = word[start...].firstIndex(of: 0x3D) {
      var first = sign
      while first > start, isNameByte(word[first - 1]) { first -= 1 }
      var end = sign + 1
      while end < word.count, word[end] != 0x26, word[end] != 0x3B { end += 1 }
      start = sign + 1
      guard isSecretName(String(decoding: word[first..<sign], as: UTF8.self)), end > start else { continue }
      word.replaceSubrange(start..<end, with: mask)
      start += mask.count
    }
    return word
  }

  // MARK: Names of secrets

  /// The line up to the name that announces a secret: the command `pin`, the key of a secret setting, or a word
  /// in its place that looks like one.
  private static func name(in line: [UInt8]) -> ArraySlice<UInt8>? {
    let words = words(of: line)
    guard let first = words.first else { return nil }
    if text(first) == "pin" { return first }
    if let exact = words.first(where: { isSecretKey(text($0)) }) { return exact }
    for word in words.prefix(2) {
      if let sign = word.firstIndex(where: { $0 == 0x3D || $0 == 0x3A }), sign > word.startIndex,
        isSecretName(text(word[..<sign]))
      {
        return word[..<sign]
      }
    }
    if commandLength(words) == 0, isSecretName(text(first)) { return first }
    guard words.count > 1, Setting(key: text(words[1])) == nil else { return nil }
    let isCommand = settingCommands.contains(text(first))
    if text(first) == "set", let meant = NearestWord.find(to: text(words[1]), among: SettingTable.keys),
      isSecretKey(meant)
    {
      return words[1]
    }
    // `password` in the second place of a line that is no command, too: `wifi password x`.
    return (isCommand || commandLength(words) == 0) && isSecretName(text(words[1])) ? words[1] : nil
  }

  /// Whether a name is that of a secret setting, or unknown and looks like one.
  private static func isSecretName(_ name: String) -> Bool {
    let name = Spelling.small(name)
    if let setting = Setting(key: name) { return setting.declaration.isSecret }
    let bytes = Array(name.utf8)
    guard !bytes.isEmpty, bytes.allSatisfy({ isNameByte($0) }) else { return false }
    // `speaker.highpass` is near a setting that is no secret.
    if bytes.count > 3, name.utf8.reversed().starts(with: "highpass".utf8.reversed()) { return false }
    if marks.contains(where: { mark in bytes.indices.contains { bytes[$0...].starts(with: mark.utf8) } }) {
      return true
    }
    return bytes.split { $0 == 0x2E || $0 == 0x2D || $0 == 0x5F }.contains { part in
      partMarks.contains { part.elementsEqual($0.utf8) }
    }
  }

  private static func isSecretKey(_ text: String) -> Bool { Setting(key: text)?.declaration.isSecret == true }

  /// Whether a text is the key of a setting, or near one.
  private static func isSetting(_ text: String) -> Bool {
    Setting(key: text) != nil || NearestWord.find(to: text, among: SettingTable.keys) != nil
  }

  /// Commands with a setting as their first argument.
  private static let settingCommands = ["set", "unset", "cycle", "show"]

  /// The number of words in the name of the command that a line begins with; 0 if it begins with none.
  private static func commandLength(_ words: [ArraySlice<UInt8>]) -> Int {
    let words = words.prefix(3).map { Word(text: text($0), column: 1, bytes: 0..<0) }
    return Interpreter.declaration(for: words)?.1 ?? 0
  }

  private static func words(of line: [UInt8]) -> [ArraySlice<UInt8>] { line.split { isBlank($0) } }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
  private static func isQuote(_ byte: UInt8) -> Bool { byte == 0x22 || byte == 0x27 }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
  }

  private static func text(_ word: ArraySlice<UInt8>) -> String {
    Spelling.small(String(decoding: word.filter { !isQuote($0) }, as: UTF8.self))
  }
}
