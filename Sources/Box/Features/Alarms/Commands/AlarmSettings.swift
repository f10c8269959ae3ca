// Settings of the alarms, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let alarm: [SettingDeclaration] = [
    SettingDeclaration(
      .alarmFallback, "alarm.fallback", .path, or: Choice("off", "a sound of the box's own"), default: "off",
      "The file, folder or playlist that an alarm plays when what it should play is not heard within 20 seconds. If that fails, "
        + "too, a sound of the box's own rings."),
    SettingDeclaration(
      .alarmVolume, "alarm.volume", .integer(1...100, unit: "%"), default: "40",
      "How loud an alarm gets, within volume.maximum. At night it is limited to night.maximum, but not below alarm.minimum."
    ),
    SettingDeclaration(
      .alarmMinimum, "alarm.minimum", .integer(1...100, unit: "%"), default: "30",
      "The least volume of an alarm once it has risen, whatever the knob and night.maximum say. It is never above alarm.volume and "
        + "volume.maximum."),
    SettingDeclaration(
      .alarmRise, "alarm.rise", .decimal(0...600, decimals: 0, unit: "s"), default: "60",
      "How long an alarm takes from 10 % to alarm.volume."),
    SettingDeclaration(
      .alarmSnooze, "alarm.snooze", .integer(1...60, unit: "min"), default: "9",
      "After how many minutes an alarm rings again when 'snooze' names no number."),
  ]
}

extension Settings {
  /// The lowest volume in percent of an alarm after its rise, at most alarm.volume and volume.maximum.
  package var minimumAlarmVolume: Int { min(maximumVolume, alarmVolume, whole(.alarmMinimum)) }
  /// The highest volume in percent of an alarm at a local time. The night limit does not lower it below
  /// `minimumAlarmVolume`.
  ///
  /// - Parameter minute: The local time, in minutes since midnight.
  package func maximumAlarmVolume(atMinute minute: Int) -> Int {
    max(maximumVolume(atMinute: minute), minimumAlarmVolume)
  }
  /// A sentence naming the limit that keeps an alarm below alarm.volume; nil if there is none.
  ///
  /// - Parameter minute: The alarm's local time, in minutes since midnight; nil: any time, including the
  ///   night.
  package func alarmLimitNote(atMinute minute: Int? = nil) -> String? {
    let isNight = minute.map { night?.contains($0) ?? false } ?? (night != nil)
    let limit =
      isNight ? min(maximumVolume, max(whole(.nightMaximum), minimumAlarmVolume)) : maximumVolume
    guard limit < alarmVolume else { return nil }
    let cause =
      if limit == maximumVolume {
        "volume.maximum"
      } else {
        limit == integer(.nightMaximum) ? "night.maximum" : "night.maximum, raised by alarm.minimum,"
      }
    return cause + " limits an alarm" + (limit == maximumVolume ? "" : " in these hours") + " to "
      + String(limit)
      + " %, below alarm.volume (" + String(alarmVolume) + " %)"
  }
  /// The path that an alarm plays if its own is not heard; nil: the built-in sound.
  package var alarmFallback: String? { text(.alarmFallback) }
  /// The final volume of an alarm, in percent.
  package var alarmVolume: Int { whole(.alarmVolume) }
  /// The duration of an alarm's rise in volume.
  package var alarmRise: Seconds { seconds(.alarmRise) }
  /// The default number of minutes that an alarm is snoozed.
  package var alarmSnooze: Int { whole(.alarmSnooze) }
}
