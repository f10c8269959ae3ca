// Listening time of the current day. A pure value; control thread.

/// The listening time that counts against a daily limit. Clock changes never reduce it; it restarts only on a later
/// day.
package struct HeardTime: Hashable, Sendable {
  /// Latest day seen, in days since 1970 of local time.
  package private(set) var day: Int
  /// Seconds of music played on that day.
  package private(set) var seconds: Int

  /// Listening time of a day.
  ///
  /// - Parameters:
  ///   - day: Days since 1970.
  ///   - seconds: Seconds of music, clamped to two days.
  package init(day: Int, seconds: Int = 0) {
    self.day = day
    self.seconds = max(0, min(seconds, 86_400 * 2))
  }

  /// Starts a new count if the day of `now` is later. Earlier days are ignored, because a board without a
  /// battery-backed clock may be years behind.
  package mutating func follow(_ now: LocalTime) {
    if now.day > day { self = HeardTime(day: now.day) }
  }

  /// Adjusts the day after the clock was set. If the clock was ahead, the time counts for the present day.
  package mutating func clockWasSet(to now: LocalTime) {
    follow(now)
    if now.day < day { self = HeardTime(day: now.day, seconds: seconds) }
  }

  /// Adds seconds of music played up to `now`.
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
