// A part of every day: a night, quiet hours. Pure value; any thread.

/// The minutes from one time of day up to another, perhaps over midnight.
package struct DailyHours: Hashable, Sendable {
  /// The first minute, 0…1439.
  package let from: Int
  /// The minute after the last.
  package let to: Int

  /// Nil where there is no first minute, or both are the same: that is no time at all.
  package init?(from: Int?, to: Int?) {
    guard let from, let to, from != to else { return nil }
    self.from = from
    self.to = to
  }

  /// Whether a minute of the day lies in it.
  package func contains(_ minute: Int) -> Bool {
    from < to ? minute >= from && minute < to : minute >= from || minute < to
  }

  /// Minutes from a minute of the day until it begins or ends next, at least 1.
  package func minutesToBorder(from minute: Int) -> Int {
    func distance(_ border: Int) -> Int { border > minute ? border - minute : border + 1440 - minute }
    return min(distance(from), distance(to))
  }
}
