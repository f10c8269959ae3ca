// What can follow a line that is being typed. Pure; control thread.

/// How a line can go on.
package struct Completion: Hashable, Sendable {
  /// The most candidates that are looked at.
  package static let maxCandidates = 200

  /// The byte of the line at which the replaced word begins; it reaches to the end.
  package let start: Int
  /// The bytes that replace it: as much as all candidates share, and a blank where there is but one.
  package let insertion: [UInt8]
  /// The candidates, as a person reads them.
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
    // Not in the middle of a character.
    while let last = shared.last, last >= 0x80, !Self.endsWhole(shared) { shared.removeLast() }
    let isWhole = candidates.count == 1 && shared.last != 0x2F
    insertion = Self.escaped(shared) + (isWhole ? [0x20] : [])
  }

  /// Completes the last word of `line`, which ends at the cursor. `paths` lists what a media path can go on to
  /// (whole paths as `play` takes them, folders with a / at the end) and is asked only when a path is wanted.
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

  /// The argument that comes after these words, with the number of words that belong to the verb.
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
        // One value only; the further paths of a list cannot be completed.
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

  /// With a backslash where a line gives a character a meaning: goes on being typed, as quotes would not.
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
