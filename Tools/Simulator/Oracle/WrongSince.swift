// Durations of wrong conditions. A value; one thread.

/// Records for each of several conditions since when it has been wrong without interruption.
struct WrongSince {
  private var times: [UInt64?]

  /// Creates a record of `count` conditions, none of them wrong.
  init(_ count: Int) { times = Array(repeating: nil, count: count) }

  /// Updates a condition.
  /// - Returns: Since when it is wrong; nil if it is not.
  mutating func note(_ place: Int, _ isWrong: Bool, at now: UInt64) -> UInt64? {
    times[place] = isWrong ? times[place] ?? now : nil
    return times[place]
  }
}
