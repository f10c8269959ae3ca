// Detects local time that is skipped when daylight saving time begins. Pure values; any thread.

/// Compares local time with the monotonic clock between two calls.
package struct SkippedTime: Sendable {
  /// Allowed difference between the clocks in seconds, for rounding and slow NTP corrections.
  private static let tolerance: Int64 = 5
  /// Possible changes of the UTC offset in seconds: half an hour (Lord Howe), one hour, two hours (Troll).
  private static let steps: [Int64] = [1800, 3600, 7200]

  private var last: (local: Int64, monotonic: Int64)?

  /// A detector without an earlier reading.
  package init() {}

  /// Takes a reading of both clocks.
  ///
  /// - Parameters:
  ///   - local: Local time now.
  ///   - nanoseconds: The monotonic clock now.
  /// - Returns: Minutes of local time that were skipped since the last reading; 0 if none.
  package mutating func minutes(local: LocalTime, monotonic nanoseconds: UInt64) -> Int {
    let now = (local: local.seconds, monotonic: Int64(clamping: nanoseconds / 1_000_000_000))
    defer { last = now }
    guard let last else { return 0 }
    let leap = (now.local - last.local) - (now.monotonic - last.monotonic)
    guard let step = Self.steps.first(where: { abs(leap - $0) <= Self.tolerance }) else { return 0 }
    return Int(step / 60)
  }

  /// Drops the last reading, because the clock was set.
  package mutating func forget() { last = nil }
}
