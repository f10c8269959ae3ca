// The commands of the volume: value, declarations and argument. Pure; any thread.

/// A change of volume. The player applies limits (`volume.maximum`, `night.maximum`).
package enum VolumeChange: Hashable, Sendable {
  /// An absolute volume in percent, 0…100.
  case to(Int)
  /// A difference in percentage points, −100…100.
  case by(Int)
  /// A number of `volume.step` steps, positive for louder.
  case steps(Int)
}

extension CommandTable {
  static let volumes: [CommandDeclaration] = [
    CommandDeclaration(
      "volume", Arguments.volume.optional, aliases: ["vol"], .sound, "Shows or changes the volume.",
      "In percent; at most volume.maximum and, at night, night.maximum.",
      examples: ["volume", "volume 40", "volume +5", "volume -5", "volume up"]
    ) { .volume($0) },
    CommandDeclaration(
      "mute", .mute, .sound, "Turns the volume to nothing, or back to what it was.",
      "Turning the volume ends it, too."),
  ]
}

extension Arguments {
  static let volume = Argument<VolumeChange>(
    "LEVEL", "a number from 0 to 100, a change from -100 to +100 such as +5 or -5, up or down",
    [.words([Choice("up", "by volume.step"), Choice("down", "by volume.step")])]
  ) { word in
    switch Spelling.small(word) {
    case "up": return .steps(1)
    case "down": return .steps(-1)
    default: break
    }
    let first = word.utf8.first
    let isChange = first == 0x2B || first == 0x2D
    let digits = first == 0x2B ? String(decoding: word.utf8.dropFirst(), as: UTF8.self) : word
    if first == 0x2B, digits.utf8.first == 0x2D { return nil }
    guard let number = SettingKind.integer(digits, unit: "%"), number >= -100, number <= 100 else {
      return nil
    }
    return isChange ? .by(number) : .to(number)
  }
}

extension VolumeChange {
  /// The words after the command's name, for a report without private data.
  var line: String {
    switch self {
    case .to(let percent): String(percent)
    case .by(let points): (points < 0 ? "" : "+") + String(points)
    case .steps(let steps): steps < 0 ? "down" : "up"
    }
  }
}
