// History of entered lines. Pure; control thread.

/// The most recent lines, recalled by the arrow keys. Lines with a PIN or a password are not stored.
struct LineHistory: Sendable {
  /// The most lines that are stored.
  static let limit = 50

  private var lines: [[UInt8]] = []
  /// The index in `lines` of the line shown; `lines.count` for the line being typed.
  private var place = 0
  /// The line being typed, saved while older lines are shown.
  private var unfinished: [UInt8] = []

  mutating func add(_ line: [UInt8]) {
    leave()
    guard line.count <= CommandLineText.maxTypedBytes, line.contains(where: { $0 != 0x20 }),
      lines.last != line, !SecretLine.isSecret(line)
    else { return }
    if lines.count >= Self.limit { lines.removeFirst() }
    lines.append(line)
    leave()
  }

  /// Returns to the line being typed and clears its saved text.
  mutating func leave() {
    place = lines.count
    unfinished = []
  }

  mutating func older(_ current: [UInt8]) -> [UInt8]? {
    guard place > 0 else { return nil }
    if place == lines.count { unfinished = current }
    place -= 1
    return lines[place]
  }

  mutating func newer(_ current: [UInt8]) -> [UInt8]? {
    guard place < lines.count else { return nil }
    place += 1
    return place == lines.count ? unfinished : lines[place]
  }
}
