// When an alarm rings. Pure values; any thread.

/// An alarm: its time, its days, and what it plays.
package struct Alarm: Hashable, Sendable {
  /// Minutes within which a missed alarm still rings, after a power cut or with a wrong clock.
  package static let grace = 30

  /// Minutes since local midnight, 0…1439.
  package let minuteOfDay: Int
  /// The time as `HH:MM`.
  package var time: String { LocalTime.clock(minuteOfDay) }
  /// The days on which it rings.
  package let days: AlarmDays
  /// The file, folder or playlist to play, in the syntax of `play`.
  package let name: String
  /// Whether the alarm is enabled.
  package var isOn = true
  /// The minute of local time up to which the alarm has been handled.
  package private(set) var settled: Int

  /// An alarm that counts as handled up to a minute of local time.
  package init(minuteOfDay: Int, days: AlarmDays, name: String, settled: Int) {
    self.minuteOfDay = minuteOfDay
    self.days = days
    self.name = name
    self.settled = settled
  }

  /// Marks the alarm as handled up to now.
  package mutating func settle(at now: LocalTime) { settled = now.minute }

  /// Whether both alarms have the same time, days and name.
  package func isSame(as other: Alarm) -> Bool {
    minuteOfDay == other.minuteOfDay && days == other.days && name == other.name
  }

  /// Whether the alarm must ring now.
  ///
  /// - Parameters:
  ///   - now: Local time.
  ///   - skipped: Minutes of local time before `now` that did not pass because daylight saving time began. Alarms in
  ///     them ring right after them.
  package func isDue(at now: LocalTime, skipped: Int = 0) -> Bool {
    guard isOn else { return false }
    return minutes(from: now.minute - Self.grace - skipped, through: now.minute).contains {
      $0 > reached(now)
    }
  }

  /// The next time it rings after `now`; nil if it is disabled.
  package func next(after now: LocalTime) -> LocalTime? {
    guard isOn else { return nil }
    let first = max(now.minute, reached(now)) + 1
    return minutes(from: first, through: first + 8 * 1440).first.map { LocalTime(minute: $0) }
  }

  /// Adjusts the alarm after the clock was set. If the clock was ahead by more than ten minutes, alarms that have rung
  /// ring again.
  package mutating func clockWasSet(to now: LocalTime) {
    if settled - now.minute > 10 { settled = now.minute }
  }

  /// The handled minute; ignored if it is a day or more ahead of `now`, because the clock was wrong then.
  private func reached(_ now: LocalTime) -> Int {
    settled - now.minute >= 1440 ? now.minute - Self.grace - 1 : settled
  }

  /// The minutes of local time at which it rings.
  private func minutes(from first: Int, through last: Int) -> [Int] {
    var minute = LocalTime.divide(first, by: 1440).quotient * 1440 + minuteOfDay
    if minute < first { minute += 1440 }
    return stride(from: minute, through: last, by: 1440).filter { days.contains(Weekday(minute: $0)) }
  }
}
