// Declarations of the commands about limits on playing. Pure; any thread.

/// A command about limits on playing.
package enum LimitsCommand: Hashable, Sendable {
  case show
  /// Suspends all limits for a number of minutes.
  case lift(minutes: Int)
  /// Ends a suspension of the limits.
  case holdAgain
}

extension CommandTable {
  static let limits: [CommandDeclaration] = [
    CommandDeclaration(
      "limits", .limits(.show), .sound, "Shows what may be played, and how much of today's time is left.",
      "limits.daily, limits.quiet-from and limits.tags-only set limits, for a child's box. They hold for buttons, tags, consoles and "
        + "clients; alarms ring. A minute that was heard counts over a power cut, too."),
    CommandDeclaration(
      "limits lift", minutesOrOff, .sound, "Lets everything play for some minutes, or ends that.",
      "Every user of the console can lift limits: set console.pin where children have the console.",
      examples: ["limits lift 30", "limits lift off"]
    ) { .limits($0.map { .lift(minutes: $0) } ?? .holdAgain) },
  ]

  /// A number of minutes; nil for `off`.
  private static let minutesOrOff = Argument<Int?>(
    "MINUTES|off", "a number of minutes from 1 to 1440, or off", [.words([Choice("off", "limits again")])]
  ) { word in
    if Spelling.small(word) == "off" { return .some(nil) }
    return SettingKind.integer(word, unit: "min").flatMap { $0 >= 1 && $0 <= 1440 ? .some($0) : nil }
  }
}
