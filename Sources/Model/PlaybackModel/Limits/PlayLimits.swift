// Limits on listening: quiet hours and a daily maximum. Pure functions; control thread.

/// Why nothing may be played at present.
package enum PlayLimit: Hashable, Sendable {
  /// Quiet hours.
  case quiet
  /// The daily limit is used up.
  case daily

  /// Name in `status` and in events.
  package var name: String {
    switch self {
    case .quiet: "quiet"
    case .daily: "daily"
    }
  }
}

/// The configured limits.
package struct PlayLimits: Hashable, Sendable {
  /// Maximum minutes of music per day; nil for no limit.
  package var daily: Int?
  /// Hours without music; nil for none.
  package var quiet: DailyHours?

  /// A set of limits.
  package init(daily: Int?, quiet: DailyHours?) {
    self.daily = daily
    self.quiet = quiet
  }

  /// Whether any limit is configured.
  package var areSet: Bool { daily != nil || quiet != nil }

  /// The limit that forbids playing at a time; nil if playing is allowed.
  package func limit(at now: LocalTime, after heard: HeardTime) -> PlayLimit? {
    if quiet?.contains(now.minuteOfDay) == true { return .quiet }
    if let left = secondsLeft(at: now, after: heard), left == 0 { return .daily }
    return nil
  }

  /// Remaining seconds of the day; nil without a daily limit.
  package func secondsLeft(at now: LocalTime, after heard: HeardTime) -> Int? {
    guard let daily else { return nil }
    var heard = heard
    heard.follow(now)
    return max(0, daily * 60 - heard.seconds)
  }

  /// Seconds until the limits must be checked again; nil without limits.
  ///
  /// At most one hour, because changes of daylight saving time are not reported.
  package func secondsToChange(at now: LocalTime, after heard: HeardTime, isHeard: Bool) -> Int? {
    guard areSet else { return nil }
    let intoMinute = Int(now.seconds - LocalTime(minute: now.minute).seconds)
    func seconds(_ minutes: Int) -> Int { max(1, minutes * 60 - intoMinute) }
    var next = 3600
    if let quiet { next = min(next, seconds(quiet.minutesToBorder(from: now.minuteOfDay))) }
    if let left = secondsLeft(at: now, after: heard) {
      // The daily limit restarts at midnight.
      next = min(next, seconds(1440 - now.minuteOfDay))
      if isHeard, left > 0 { next = min(next, min(60, left)) }
    }
    return next
  }
}
