// The lines that were typed before. Pure; control thread.

/// The last lines, to be recalled by arrow keys. Lines that hold a PIN or a password are not kept.
struct LineHistory: Sendable {
  /// The most lines that are kept.
  static let limit = 50

  private var lines: [[UInt8]] = []
  /// Where in `lines` the shown line is; at the end: the one being typed.
  private var place = 0
  /// What was being typed when the walk began.
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

  /// The next line is a new one.
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
