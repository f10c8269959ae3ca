// Time window for automatic updates, which `status` reports to packaging/update. Pure; any thread.

import Console
import PlaybackModel

/// Whether an automatic update may begin now, and if not, why.
enum UpdateWindow: Hashable {
  /// An update may begin.
  case due
  /// Music is audible, or will be when pending work completes.
  case playing
  /// An alarm rings, is snoozed or due within an hour, or the alarms are not loaded yet.
  case alarm
  /// The window begins later, at this minute of the day.
  case later(Int)

  /// Length of the window in minutes, from `updates.time` on.
  static let length = 120
  /// Minutes before an alarm in which no update begins.
  static let beforeAlarm = 60

  /// The state of the window; nil if automatic updates are off.
  ///
  /// - Parameters:
  ///   - settings: `updates.automatic` and `updates.time`.
  ///   - minute: Local time, in minutes since midnight.
  ///   - isPlaying: Whether music is audible, or will be when pending work completes.
  ///   - alarm: Minutes until an alarm rings, 0 while one rings or is snoozed; nil: none is set.
  init?(_ settings: Settings, atMinute minute: Int, isPlaying: Bool, alarm: Int?) {
    guard settings.updatesAutomatically else { return nil }
    let begin = settings.updateMinute
    guard DailyHours(from: begin, to: (begin + Self.length) % 1440)?.contains(minute) == true else {
      self = .later(begin)
      return
    }
    if let alarm, alarm <= Self.beforeAlarm {
      self = .alarm
    } else {
      self = isPlaying ? .playing : .due
    }
  }

  /// Text in `status`. packaging/update looks for `due`.
  var text: String {
    switch self {
    case .due: "due"
    case .playing: "when nothing plays"
    case .alarm: "after the alarm"
    case .later(let minute): "at " + LocalTime.clock(minute)
    }
  }
}
