// When an alarm rings. Pure values; any thread.

/// An alarm: a time, the days on which it rings, and what it plays.
package struct Alarm: Hashable, Sendable {
  /// Minutes for which an alarm is rung afterwards, where the box had no power at its time, or a wrong clock.
  package static let grace = 30

  /// Minutes since local midnight, 0…1439.
  package let minuteOfDay: Int
  /// Its time, as a clock shows it.
  package var time: String { LocalTime.clock(minuteOfDay) }
  /// The days on which it rings.
  package let days: AlarmDays
  /// The file, folder or playlist that it plays, as `play` takes it.
  package let name: String
  /// Whether it rings at all.
  package var isOn = true
  /// The minute of local time up to which nothing of it is left to ring.
  package private(set) var settled: Int

  /// An alarm that has nothing left to ring up to a minute of local time.
  package init(minuteOfDay: Int, days: AlarmDays, name: String, settled: Int) {
    self.minuteOfDay = minuteOfDay
    self.days = days
    self.name = name
    self.settled = settled
  }

  /// Nothing of it is left to ring up to this minute.
  package mutating func settle(at now: LocalTime) { settled = now.minute }

  /// Whether both ring at the same time and play the same.
  package func isSame(as other: Alarm) -> Bool {
    minuteOfDay == other.minuteOfDay && days == other.days && name == other.name
  }

  /// Whether it has to ring now.
  ///
  /// - Parameter skipped: Minutes of local time before `now` that did not pass, because summer time began. What lies in them rings
  ///   right after them.
  package func isDue(at now: LocalTime, skipped: Int = 0) -> Bool {
    guard isOn else { return false }
    return minutes(from: now.minute - Self.grace - skipped, through: now.minute).contains {
      $0 > reached(now)
    }
  }

  /// When it rings next, after `now`; nil: not.
  package func next(after now: LocalTime) -> LocalTime? {
    guard isOn else { return nil }
    let first = max(now.minute, reached(now)) + 1
    return minutes(from: first, through: first + 8 * 1440).first.map { LocalTime(minute: $0) }
  }

  /// Somebody has set the clock. What has rung by a clock that was ahead rings again; a correction of seconds counts for nothing.
  package mutating func clockWasSet(to now: LocalTime) {
    if settled - now.minute > 10 { settled = now.minute }
  }

  /// A clock that was a day or more ahead when the alarm rang must not keep it from ringing.
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
