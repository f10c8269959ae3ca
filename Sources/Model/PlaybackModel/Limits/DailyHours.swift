// A daily period, such as quiet hours. A pure value; any thread.

/// The minutes between two times of day; may span midnight.
package struct DailyHours: Hashable, Sendable {
  /// The first minute, 0…1439.
  package let from: Int
  /// The minute after the last one.
  package let to: Int

  /// A period; nil if a bound is missing or both are equal.
  package init?(from: Int?, to: Int?) {
    guard let from, let to, from != to else { return nil }
    self.from = from
    self.to = to
  }

  /// Whether a minute of the day is in the period.
  package func contains(_ minute: Int) -> Bool {
    from < to ? minute >= from && minute < to : minute >= from || minute < to
  }

  /// Minutes from a minute of the day until the next start or end of the period, at least 1.
  package func minutesToBorder(from minute: Int) -> Int {
    func distance(_ border: Int) -> Int { border > minute ? border - minute : border + 1440 - minute }
    return min(distance(from), distance(to))
  }
}
