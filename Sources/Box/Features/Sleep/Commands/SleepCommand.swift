// The command of the sleep timer: its value, declaration and argument. Pure; any thread.

import PlaybackModel

/// The point at which the sleep timer stops the music.
package enum SleepTimer: Hashable, Sendable {
  /// Minutes from now, 1…1440.
  case after(minutes: Int)
  /// At the end of the current track or of the queue.
  case behind(StopPoint)
  case off
}

extension CommandTable {
  static let sleepTimer: [CommandDeclaration] = [
    CommandDeclaration(
      "sleep", Arguments.sleep.optional, .sound,
      "Stops after some minutes, with the end of the track, or with that of the queue.",
      "After MINUTES the music fades out; sleep.fade sets how long that takes. 'sleep track' lets the track that is heard, or the one "
        + "that 'next' leads to meanwhile, play to its end, and 'play' continues behind it. 'sleep queue' stops at the queue's end, whatever "
        + "is repeated. Both are over when the music has ended, and hold over a power cut. Without a word it shows what is set; each "
        + "replaces the one before.",
      examples: ["sleep 30", "sleep track", "sleep queue", "sleep off", "sleep"]
    ) { .sleep($0) }
  ]
}

extension Arguments {
  static let sleep = Argument<SleepTimer>(
    "MINUTES|track|queue|off", "a number of minutes from 1 to 1440, track, queue, or off",
    [
      .words([
        Choice("track", "when this track is over"),
        Choice("queue", "when the queue is, whatever is repeated"),
        Choice("off", "not at all"),
      ])
    ]
  ) { word in
    let small = Spelling.small(word)
    if small == "off" { return .off }
    if let point = StopPoint(name: small) { return .behind(point) }
    guard let minutes = SettingKind.integer(word, unit: "min"), minutes >= 1, minutes <= 1440 else {
      return nil
    }
    return .after(minutes: minutes)
  }
}

extension SleepTimer {
  /// The words after the command's name, for a report without private data.
  var line: String {
    switch self {
    case .after(let minutes): String(minutes)
    case .behind(let point): point.name
    case .off: "off"
    }
  }
}
