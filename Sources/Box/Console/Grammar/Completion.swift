// Tab completion of a command line. Pure; control thread.

/// The completion of a line's last word.
package struct Completion: Hashable, Sendable {
  /// The most path candidates that are collected.
  package static let maxCandidates = 200

  /// The byte of the line where the replaced text begins; it extends to the end of the line.
  package let start: Int
  /// The replacement: the candidates' common prefix, plus a blank if there is only one candidate.
  package let insertion: [UInt8]
  /// The candidates as shown to the user.
  package let candidates: [String]

  /// No completion.
  package static let none = Completion(start: 0, [])

  private init(start: Int, _ candidates: [String]) {
    self.start = start
    self.candidates = candidates
    guard let first = candidates.first else {
      insertion = []
      return
    }
    var shared = Array(first.utf8)
    for candidate in candidates.dropFirst() {
      var count = 0
      for byte in candidate.utf8 {
        guard count < shared.count, shared[count] == byte else { break }
        count += 1
      }
      shared.removeSubrange(count...)
    }
    // Do not cut a character in half.
    while let last = shared.last, last >= 0x80, !Self.endsWhole(shared) { shared.removeLast() }
    let isWhole = candidates.count == 1 && shared.last != 0x2F
    insertion = Self.escaped(shared) + (isWhole ? [0x20] : [])
  }

  /// Completes the last word of a line.
  ///
  /// - Parameters:
  ///   - line: The line up to the cursor.
  ///   - paths: Returns the media paths that begin with a text: whole paths as `play` takes them, folders
  ///     with a slash at the end. Called only if a path is expected.
  package init(of line: [UInt8], paths: (String) -> [String] = { _ in [] }) {
    guard let text = try? CommandLineText(unfinished: line), text.ending != .inComment else {
      self = .none
      return
    }
    var before = text.words
    var typed = ""
    var start = line.count
    if text.ending != .betweenWords, let last = before.popLast() {
      typed = last.text
      start = last.bytes.lowerBound
    }
    let small = Spelling.small(typed)
    var candidates: [String] = []
    for name in Self.names(after: before)
    where name.utf8.starts(with: small.utf8) && !candidates.contains(name) {
      candidates.append(name)
    }
    if Self.wantsPath(after: before) {
      for path in paths(typed) where path.utf8.starts(with: typed.utf8) && Self.canBeTyped(path) {
        candidates.append(path)
        if candidates.count >= Self.maxCandidates { break }
      }
    }
    self.init(start: start, candidates)
  }

  /// The shape of the next argument, with the number of words in the command's name.
  private static func shape(after words: [Word]) -> (ArgumentShape, verb: Int)? {
    guard let (declaration, count) = Interpreter.declaration(for: words) else { return nil }
    let index = words.count - count
    if index < declaration.arguments.count { return (declaration.arguments[index], count) }
    guard let last = declaration.arguments.last, last.isRepeated || last.sources.contains(.settingValue)
    else {
      return nil
    }
    return (last, count)
  }

  private static func wantsPath(after words: [Word]) -> Bool {
    shape(after: words)?.0.sources.contains(.paths) ?? false
  }

  private static func names(after words: [Word]) -> [String] {
    let typed = words.map { Spelling.small($0.text) }
    var names = Interpreter.names(after: typed)
    guard let (shape, verb) = shape(after: words) else { return names }
    for source in shape.sources {
      switch source {
      case .nothing, .paths: break
      case .words(let choices): names += choices.map { $0.name }
      case .settings: names += SettingTable.keys
      case .cycles:
        names += SettingTable.declarations.filter { !$0.kind.names.isEmpty }.map { $0.key }
      case .settingGroups: names += SettingTable.groups
      case .settingValue:
        // Only a setting's first value is completed, not the further paths of a list.
        if words.count == verb + 1 { names += Setting(key: words[verb].text)?.declaration.names ?? [] }
      case .topics:
        if words.count == verb {
          names +=
            CommandTable.verbs + ["settings", "events", "lights", "all"]
            + CommandGroup.allCases.map { $0.word } + SettingTable.groups + SettingTable.keys
        } else {
          names += Interpreter.names(after: Array(typed[verb...]))
        }
      }
    }
    return names
  }

  private static func canBeTyped(_ path: String) -> Bool {
    let bytes = Array(path.utf8)
    guard bytes.count <= SettingKind.maxPathLength else { return false }
    return !bytes.indices.contains { UTF8Check.isControl(bytes, at: $0) }
  }

  private static func endsWhole(_ bytes: [UInt8]) -> Bool {
    var start = bytes.count - 1
    while start > 0, bytes[start] & 0xC0 == 0x80 { start -= 1 }
    return UTF8Check.scalarLength(bytes, at: start) == bytes.count - start
  }

  /// Escapes special characters with backslashes, which allow typing on, unlike closed quotes.
  private static func escaped(_ text: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    for (i, byte) in text.enumerated() {
      if byte == 0x20 || byte == 0x22 || byte == 0x27 || byte == 0x5C || (byte == 0x23 && i == 0) {
        bytes.append(0x5C)
      }
      bytes.append(byte)
    }
    return bytes
  }
}
