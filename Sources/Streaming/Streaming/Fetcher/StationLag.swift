// Since when a station's bytes come later than they could. Pure, over times that are given; fetcher process.

/// Tells whether what comes from a station is its present.
///
/// A server that was made to wait, because there was no room, sends what it kept as fast as it is taken. So the present is reached when
/// bytes have to be waited for again.
struct StationLag {
  /// Nanoseconds between two pieces after which the server had nothing more to send.
  static let pause: UInt64 = 40_000_000

  /// Since when, and where the bytes ended then; nil while what comes is the present.
  private(set) var begun: (since: UInt64, end: Int64)?
  private var last: UInt64 = 0
  private var isHeld = false

  /// Bytes come, or are held up. Time is nanoseconds of a monotonic clock, `end` one past the newest byte.
  mutating func note(held: Bool, end: Int64, at now: UInt64) {
    if held {
      // What came last was the present, or is late already.
      if begun == nil, last > 0 { begun = (last, end) }
    } else {
      if !isHeld, now &- last > Self.pause { begun = nil }
      last = now
    }
    isHeld = held
  }

  /// Bytes of a station come that sends its sound in pieces, each as fast as it is taken: no pause between them says that one was the last.
  mutating func note(pieceAt now: UInt64) { last = now }

  /// All that there is of such a station has come.
  mutating func reachPresent(at now: UInt64) {
    (begun, last, isHeld) = (nil, now, false)
  }

  /// Nanoseconds of the station that did not come, if it goes on at the present now.
  func missing(at now: UInt64) -> UInt64 {
    guard let begun, now > begun.since else { return 0 }
    return now - begun.since
  }

  /// The station was joined anew.
  mutating func rejoin() {
    begun = nil
    last = 0
    isHeld = false
  }
}
