// The table of commands: alarms. Pure; any thread.

import PlaybackModel

extension CommandTable {
  static let alarms: [CommandDeclaration] = [
    CommandDeclaration(
      "alarm", newAlarm, .sound, "Lists the alarms, or sets one that plays a file, folder or playlist.",
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

  private static let time = ArgumentShape(
    name: "TIME", wanted: "a time of day such as 07:00", sources: [], isOptional: true)
  private static let days = ArgumentShape(
    name: "DAYS", wanted: "once, daily, weekdays, weekend, or days such as mon,wed",
    sources: [
      .words([
        Choice("once", "the next time the clock shows it"), Choice("daily"), Choice("weekdays"),
        Choice("weekend"),
      ])
    ], isOptional: true)
  private static let play = ArgumentShape(
    name: "play", wanted: "play, and what to play",
    sources: [.words([Choice("play", "a file, folder or playlist")])], isOptional: true)
  private static let path = ArgumentShape(
    name: "PATH", wanted: "a file, folder or playlist, in quotes if it contains spaces", sources: [.paths],
    isOptional: true)

  /// Nothing, or all that an alarm needs.
  private static let newAlarm = Argument<AlarmCommand>([time, days, play, path]) {
    (cursor: inout WordCursor) throws(ConsoleError) -> AlarmCommand in
    guard !cursor.isAtEnd else { return .list }
    let minute = try read(&cursor, time) { SettingKind.timeOfDay($0) }
    let days = try read(&cursor, days) { AlarmDays(Spelling.small($0)) }
    _ = try read(&cursor, play) { Spelling.small($0) == "play" ? true : nil }
    return .add(minute: minute, days, name: try read(&cursor, path) { $0.utf8.isEmpty ? nil : $0 })
  }

  private static func read<Value>(
    _ cursor: inout WordCursor, _ shape: ArgumentShape, _ convert: (String) -> Value?
  ) throws(ConsoleError) -> Value {
    let word = try cursor.take(shape)
    guard let value = convert(word.text) else {
      throw ConsoleError(.badValue, "'" + word.text + "' is not " + shape.wanted, column: word.column)
    }
    return value
  }

  private static let number = Argument<Int>("NUMBER", "an alarm's number, as 'alarm' lists them") { word in
    SettingKind.integer(word, unit: "").flatMap { $0 >= 1 && $0 <= 99 ? $0 : nil }
  }

  /// A number, or `all`: nil.
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
