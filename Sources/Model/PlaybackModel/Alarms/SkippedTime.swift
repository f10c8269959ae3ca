// Local time that does not pass because summer time begins. Pure values; any thread.

/// Compares local time with a clock that never jumps, from one look to the next.
package struct SkippedTime: Sendable {
  /// Seconds by which the clocks may differ otherwise: whole seconds, and slow corrections by NTP.
  private static let tolerance: Int64 = 5
  /// A change of the offset from UTC is half an hour (Lord Howe), an hour, or two (Troll).
  private static let steps: [Int64] = [1800, 3600, 7200]

  private var last: (local: Int64, monotonic: Int64)?

  /// No look was taken yet.
  package init() {}

  /// Takes a look.
  ///
  /// - Parameters:
  ///   - local: Local time now.
  ///   - nanoseconds: The monotonic clock now.
  /// - Returns: Minutes of local time that were skipped since the last look; 0 if none were.
  package mutating func minutes(local: LocalTime, monotonic nanoseconds: UInt64) -> Int {
    let now = (local: local.seconds, monotonic: Int64(clamping: nanoseconds / 1_000_000_000))
    defer { last = now }
    guard let last else { return 0 }
    let leap = (now.local - last.local) - (now.monotonic - last.monotonic)
    guard let step = Self.steps.first(where: { abs(leap - $0) <= Self.tolerance }) else { return 0 }
    return Int(step / 60)
  }

  /// Forgets the last look: the clock was set, which is no change to summer time.
  package mutating func forget() { last = nil }
}
