// Declarations of the alarm commands. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let alarms: [CommandDeclaration] = [
    CommandDeclaration(
      "alarm", newAlarm, .sound, "Lists the alarms, or sets an alarm with a file, folder or playlist.",
      "DAYS are once, daily, weekdays, weekend, or some of mon,tue,wed,thu,fri,sat,sun. An alarm is kept over a power cut without "
        + "'save', and rings up to 30 minutes late where the box was off at its time. It begins quietly (alarm.rise, alarm.volume), "
        + "replaces the queue, and takes alarm.fallback or a sound of the box's own where nothing is heard. 'pause', 'stop' and "
        + "'alarm stop' end it, 'snooze' puts it off.",
      examples: [
        "alarm", "alarm 07:00 weekdays play Morning", "alarm 9:30 sat,sun play \"Slow Jazz\"",
        "alarm 06:15 once play radio.m3u",
      ]
    ) { .alarm($0) },
    CommandDeclaration(
      "alarm on", number, .sound, "Lets an alarm ring again that was turned off.", examples: ["alarm on 1"]
    ) { .alarm(.turn($0, on: true)) },
    CommandDeclaration(
      "alarm off", number, .sound, "Keeps an alarm, but does not let it ring.", examples: ["alarm off 1"]
    ) { .alarm(.turn($0, on: false)) },
    CommandDeclaration(
      "alarm remove", numberOrAll, .sound, "Forgets an alarm, or all.",
      examples: ["alarm remove 2", "alarm remove all"]
    ) { .alarm($0.map { .remove($0) } ?? .clear) },
    CommandDeclaration(
      "alarm stop", .alarm(.stop), .sound,
      "Ends the alarm that rings or is snoozed, and pauses what it plays."
    ),
    CommandDeclaration(
      "snooze", minutes.optional, .sound, "Pauses the alarm that rings; it rings again after some minutes.",
      "Without a number, alarm.snooze sets how many. Meant for a button.",
      examples: ["snooze", "snooze 5"]
    ) { .snooze(minutes: $0) },
  ]

  private static let time = Argument("TIME", "a time of day such as 07:00") { SettingKind.timeOfDay($0) }
  private static let days = Argument(
    "DAYS", "once, daily, weekdays, weekend, or days such as mon,wed",
    [
      .words([
        Choice("once", "the next time the clock shows it"), Choice("daily"), Choice("weekdays"),
        Choice("weekend"),
      ])
    ]
  ) { AlarmDays(Spelling.small($0)) }
  private static let play = Argument(
    "play", "play, and what to play", [.words([Choice("play", "a file, folder or playlist")])]
  ) { Spelling.small($0) == "play" ? true : nil }

  /// The arguments of `alarm`: none, or a complete alarm.
  private static let newAlarm: Argument<AlarmCommand> = {
    let path = Arguments.path
    let shapes =
      time.optional.shapes + days.optional.shapes + play.optional.shapes + path.optional.shapes
    return Argument(shapes) { (cursor: inout WordCursor) throws(ConsoleError) -> AlarmCommand in
      guard !cursor.isAtEnd else { return .list }
      let minute = try time.read(&cursor)
      let days = try days.read(&cursor)
      _ = try play.read(&cursor)
      return .add(minute: minute, days, name: try path.read(&cursor))
    }
  }()

  private static let number = Argument<Int>("NUMBER", "an alarm's number, as 'alarm' lists them") { word in
    SettingKind.integer(word, unit: "").flatMap { $0 >= 1 && $0 <= 99 ? $0 : nil }
  }

  /// An alarm's number; nil for `all`.
  private static let numberOrAll = Argument<Int?>(
    "NUMBER|all", "an alarm's number, as 'alarm' lists them, or all", [.words([Choice("all", "every alarm")])]
  ) { word in
    if Spelling.small(word) == "all" { return .some(nil) }
    return SettingKind.integer(word, unit: "").flatMap { $0 >= 1 && $0 <= 99 ? .some($0) : nil }
  }

  private static let minutes = Argument<Int>("MINUTES", "a number of minutes from 1 to 60") { word in
    SettingKind.integer(word, unit: "min").flatMap { $0 >= 1 && $0 <= 60 ? $0 : nil }
  }
}
