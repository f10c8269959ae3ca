// When Swiftlet may be updated by itself: what `status` answers to packaging/update. Pure; any thread.

import Console
import PlaybackModel

/// The hours for an update, and what keeps the box from one at a moment.
enum UpdateWindow: Hashable {
  /// An update may begin.
  case due
  /// Something is heard, or will be when pending work completes.
  case playing
  /// An alarm rings, is snoozed, or is due within an hour, or the alarms are not read yet.
  case alarm
  /// The hours begin later, at a minute of the day.
  case later(Int)

  /// Minutes from `updates.time` on in which an update may begin.
  static let length = 120
  /// Minutes before an alarm in which none begins.
  static let beforeAlarm = 60

  /// The window at a moment; nil where updates are not automatic.
  ///
  /// - Parameters:
  ///   - settings: `updates.automatic` and `updates.time`.
  ///   - minute: Local time, in minutes since midnight.
  ///   - isPlaying: Whether something is heard, or will be when pending work completes.
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

  /// As `status` says it. packaging/update looks for `due`.
  var text: String {
    switch self {
    case .due: "due"
    case .playing: "when nothing plays"
    case .alarm: "after the alarm"
    case .later(let minute): "at " + LocalTime.clock(minute)
    }
  }
}
