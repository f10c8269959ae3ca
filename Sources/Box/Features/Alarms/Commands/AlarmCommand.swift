// A command about alarms, and its form in reports. Pure; any thread.

import PlaybackModel
import Platform

/// A command about alarms. Alarms are numbered from 1.
package enum AlarmCommand: Hashable, Sendable {
  case list
  /// Adds an alarm at a minute of the day, 0…1439, that plays a path, playlist or URL.
  case add(minute: Int, AlarmDays, name: String)
  case remove(Int)
  case clear
  /// Enables or disables an alarm without removing it.
  case turn(Int, on: Bool)
  /// Stops the alarm that is ringing or snoozed.
  case stop
}

extension AlarmCommand {
  /// The words after the command's name, for a report without private data.
  func anonymousWords(_ name: (String) -> String) -> String {
    switch self {
    case .list: ""
    case .add(let minute, let days, let path):
      " " + LocalTime.clock(minute) + " " + days.text + " play " + name(path)
    case .remove(let number): " remove " + String(number)
    case .clear: " remove all"
    case .turn(let number, let isOn): (isOn ? " on " : " off ") + String(number)
    case .stop: " stop"
    }
  }
}
