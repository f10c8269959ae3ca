// How long music was heard today. Pure value; control thread.

/// The time that counts against a daily limit. No clock gives any of it back: only a later day does.
package struct HeardTime: Hashable, Sendable {
  /// Days since 1970 in local time: the latest that was seen.
  package private(set) var day: Int
  /// What was heard on that day.
  package private(set) var seconds: Int

  /// Nothing was heard on a day.
  package init(day: Int, seconds: Int = 0) {
    self.day = day
    self.seconds = max(0, min(seconds, 86_400 * 2))
  }

  /// It is a time of a day. A board without a clock of its own may be years behind: what was heard still counts then.
  package mutating func follow(_ now: LocalTime) {
    if now.day > day { self = HeardTime(day: now.day) }
  }

  /// Somebody has set the clock. One that was ahead would count this day's time against that far one.
  package mutating func clockWasSet(to now: LocalTime) {
    follow(now)
    if now.day < day { self = HeardTime(day: now.day, seconds: seconds) }
  }

  /// So much more was heard, up to a time of a day.
  package mutating func add(seconds more: Int, at now: LocalTime) {
    follow(now)
    self = HeardTime(day: day, seconds: seconds + max(0, more))
  }

  /// Whole minutes.
  package var minutes: Int { seconds / 60 }
}

extension LocalTime {
  /// Days since 1970.
  package var day: Int { Self.divide(minute, by: 1440).quotient }
}
