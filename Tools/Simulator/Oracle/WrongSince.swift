// Since when things are not as they should be. A value; one thread.

/// What is watched, by its place in a list, and since when it has been wrong without a break.
struct WrongSince {
  private var times: [UInt64?]

  /// Nothing is wrong.
  init(_ count: Int) { times = Array(repeating: nil, count: count) }

  /// Takes note of how something is now. Since when it is wrong; nil where it is not.
  mutating func note(_ place: Int, _ isWrong: Bool, at now: UInt64) -> UInt64? {
    times[place] = isWrong ? times[place] ?? now : nil
    return times[place]
  }
}
