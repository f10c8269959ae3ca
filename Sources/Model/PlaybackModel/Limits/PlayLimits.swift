// What may be played, by the hour and by what was heard before. Pure functions; control thread.

/// Why nothing may be played now.
package enum PlayLimit: Hashable, Sendable {
  /// The quiet hours.
  case quiet
  /// The day's time is used up.
  case daily

  /// As `status` and the event say it.
  package var name: String {
    switch self {
    case .quiet: "quiet"
    case .daily: "daily"
    }
  }
}

/// The limits of a box.
package struct PlayLimits: Hashable, Sendable {
  /// Minutes of music in a day; nil: no limit.
  package var daily: Int?
  /// The hours without music; nil: none.
  package var quiet: DailyHours?

  /// Limits of a box.
  package init(daily: Int?, quiet: DailyHours?) {
    self.daily = daily
    self.quiet = quiet
  }

  /// Whether there are any.
  package var areSet: Bool { daily != nil || quiet != nil }

  /// Why nothing may be played at a time; nil: it may.
  package func limit(at now: LocalTime, after heard: HeardTime) -> PlayLimit? {
    if quiet?.contains(now.minuteOfDay) == true { return .quiet }
    if let left = secondsLeft(at: now, after: heard), left == 0 { return .daily }
    return nil
  }

  /// Seconds of today that are left; nil without a daily limit.
  package func secondsLeft(at now: LocalTime, after heard: HeardTime) -> Int? {
    guard let daily else { return nil }
    var heard = heard
    heard.follow(now)
    return max(0, daily * 60 - heard.seconds)
  }

  /// Seconds after which something may have changed, music playing or not: at most an hour, because nobody tells of summer time; nil
  /// where nothing ever changes.
  package func secondsToChange(at now: LocalTime, after heard: HeardTime, isHeard: Bool) -> Int? {
    guard areSet else { return nil }
    let intoMinute = Int(now.seconds - LocalTime(minute: now.minute).seconds)
    func seconds(_ minutes: Int) -> Int { max(1, minutes * 60 - intoMinute) }
    var next = 3600
    if let quiet { next = min(next, seconds(quiet.minutesToBorder(from: now.minuteOfDay))) }
    if let left = secondsLeft(at: now, after: heard) {
      // Midnight gives a new day.
      next = min(next, seconds(1440 - now.minuteOfDay))
      if isHeard, left > 0 { next = min(next, min(60, left)) }
    }
    return next
  }
}
