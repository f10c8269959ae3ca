// Estimates a server's clock from the round trips of time requests. Independent of the protocol. A pure value; any
// thread.

/// Estimates a remote clock by weighted linear regression over the answers of the last minutes.
///
/// An answer's error is at most half of its excess delay over the fastest answer, and one-sided, so fast answers
/// carry nearly all the weight. The line's slope is the difference in clock rate.
package struct ServerClock {
  /// Maximum number of answers kept.
  private static let maxCount = 1200
  /// Maximum age of an answer in nanoseconds.
  private static let memory = 300e9
  /// Assumed error in nanoseconds of even the fastest answers.
  private static let noise = 100_000.0
  /// Typical maximum difference in clock rate, as a fraction.
  private static let usualSkew = 300e-6

  private struct Answer {
    /// Midpoint of the round trip by the local clock, in nanoseconds since `origin`.
    var time: Double
    /// Server time minus local time, minus `base`, in nanoseconds.
    var offset: Double
    /// Round-trip time in nanoseconds.
    var way: Double
  }

  private var answers: [Answer] = []
  private var origin: Int64 = 0
  private var base: Int64 = 0
  /// The regression line: offset at time `centre` since `origin`, and slope.
  private var line: (centre: Double, offset: Double, slope: Double)?

  /// A clock without answers.
  package init() {}

  /// Adds an answer.
  ///
  /// - Parameters:
  ///   - there: Server's receive time minus local send time, in nanoseconds.
  ///   - back: Local receive time minus server's send time, in nanoseconds.
  ///   - now: Local receive time in nanoseconds.
  /// - Returns: Whether the answer is usable; false if its round trip is negative or longer than 5 s.
  @discardableResult
  package mutating func note(there: Int64, back: Int64, arrived now: Int64) -> Bool {
    // Prevents overflow below. Even clocks counting from 1970 differ by less.
    guard there.magnitude < 1 << 61, back.magnitude < 1 << 61 else { return false }
    let (way, offset) = (there + back, (there - back) / 2)
    guard way >= 0, way < 5_000_000_000 else { return false }
    if answers.isEmpty { (origin, base) = (now, offset) }
    let time = Double(now - origin) - Double(way) / 2
    answers.removeAll { time - $0.time > Self.memory }
    if answers.count >= Self.maxCount { answers.removeFirst() }
    answers.append(Answer(time: time, offset: Double(offset - base), way: Double(way)))
    fit()
    return true
  }

  /// Fits the line by weighted least squares. With few answers, a prior keeps the slope near zero.
  private mutating func fit() {
    var least = Double.infinity
    for answer in answers { least = min(least, answer.way) }
    var (weights, times, offsets) = (0.0, 0.0, 0.0)
    for answer in answers {
      let weight = Self.weight(answer, least)
      weights += weight
      times += weight * answer.time
      offsets += weight * answer.offset
    }
    let (centre, mean) = (times / weights, offsets / weights)
    var (spread, product) = (1 / (Self.usualSkew * Self.usualSkew), 0.0)
    for answer in answers {
      let weight = Self.weight(answer, least)
      spread += weight * (answer.time - centre) * (answer.time - centre)
      product += weight * (answer.time - centre) * (answer.offset - mean)
    }
    line = (centre, mean, product / spread)
  }

  private static func weight(_ answer: Answer, _ least: Double) -> Double {
    let off = noise + (answer.way - least) / 2
    return noise / (off * off * off)
  }

  /// Converts a time of the server's clock to local time, in nanoseconds; nil without answers.
  package func ours(_ theirs: Int64) -> Int64? {
    guard let line else { return nil }
    let (rough, overflows) = theirs.subtractingReportingOverflow(base)
    guard !overflows else { return nil }
    let (since, overflowsToo) = rough.subtractingReportingOverflow(origin)
    guard !overflowsToo else { return nil }
    // The line is a function of the local time being computed, so iterate. Two rounds suffice, as the rates differ by
    // thousandths at most.
    var correction = 0.0
    for _ in 0..<2 { correction = line.offset + line.slope * (Double(since) - correction - line.centre) }
    guard abs(correction) < 1e15 else { return nil }
    return rough.subtractingReportingOverflow(Int64(correction)).partialValue
  }
}
