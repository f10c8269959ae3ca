// Settings of the limits on playing, with their typed values. Pure; any thread.

import PlaybackModel

extension SettingTable {
  static let limitsOnPlaying: [SettingDeclaration] = [
    SettingDeclaration(
      .limitsDaily, "limits.daily", .integer(1...1440, unit: "min"), or: Choice("off", "no limit"),
      default: "off", "How long music may be heard in a day. Alarms and announcements do not count."),
    SettingDeclaration(
      .limitsQuietFrom, "limits.quiet-from", .timeOfDay, or: Choice("off", "no quiet hours"), default: "off",
      "When the hours begin in which no music is played, in local time. Alarms ring."),
    SettingDeclaration(
      .limitsQuietTo, "limits.quiet-to", .timeOfDay, default: "07:00", "When the quiet hours end."),
    SettingDeclaration(
      .limitsTagsOnly, "limits.tags-only", .onOff, default: "off",
      "Only tags and alarms choose what is played. Buttons and clients can pause and play it, skip within it and change the volume."
    ),
  ]
}

extension Settings {
  /// Minutes of music per day; nil: unlimited.
  package var dailyLimit: Int? { integer(.limitsDaily) }
  /// The hours in which no music may play; nil: none.
  package var quietHours: DailyHours? {
    DailyHours(from: minutes(.limitsQuietFrom), to: minutes(.limitsQuietTo))
  }
  /// Whether only tags and alarms may choose the music.
  package var isTagsOnly: Bool { isOn(.limitsTagsOnly) }
}
