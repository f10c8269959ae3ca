// Tracks since when a station lags behind live. Pure, with explicit times; fetcher process.

/// Detects whether a station's bytes are live.
///
/// After backpressure, a server sends its queued bytes at the speed of the reader. The stream is live
/// again once bytes have to be waited for.
struct StationLag {
  /// Nanoseconds between two pieces after which the server's queue was empty.
  static let pause: UInt64 = 40_000_000

  /// When the lag began, and the end of the bytes then; nil while live.
  private(set) var begun: (since: UInt64, end: Int64)?
  private var last: UInt64 = 0
  private var isHeld = false

  /// Records that bytes arrive or are blocked.
  ///
  /// - Parameters:
  ///   - held: Whether they are blocked.
  ///   - end: The offset after the newest byte.
  ///   - now: Nanoseconds of a monotonic clock.
  mutating func note(held: Bool, end: Int64, at now: UInt64) {
    if held {
      // The last bytes received were live, or lag already.
      if begun == nil, last > 0 { begun = (last, end) }
    } else {
      if !isHeld, now &- last > Self.pause { begun = nil }
      last = now
    }
    isHeld = held
  }

  /// Records bytes of a segmented stream, in which pauses do not indicate that it is live.
  mutating func note(pieceAt now: UInt64) { last = now }

  /// Records that a segmented stream has reached its last segment.
  mutating func reachPresent(at now: UInt64) {
    (begun, last, isHeld) = (nil, now, false)
  }

  /// The duration in nanoseconds that is lost if the station continues live now.
  func missing(at now: UInt64) -> UInt64 {
    guard let begun, now > begun.since else { return 0 }
    return now - begun.since
  }

  /// Records that the station was joined again.
  mutating func rejoin() {
    begun = nil
    last = 0
    isHeld = false
  }
}
