// What a server's clock says at a time of ours, from questions and answers that take their time on the way. A pure value; any thread.
// Belongs to no protocol.

/// Follows a clock by the answers of the last minutes. An answer is off by no more than half of what its way took longer than the quickest
/// one's, and always to the same side, so quick answers count for nearly everything; the clocks' difference in rate is found with the time
/// that they differ by.
package struct ServerClock {
  /// Answers that are kept.
  private static let maxCount = 1200
  /// Nanoseconds after which an answer counts no more.
  private static let memory = 300e9
  /// Nanoseconds by which even the quickest answers may be off.
  private static let noise = 100_000.0
  /// By how much clocks differ in rate at most, or hardly more.
  private static let usualSkew = 300e-6

  private struct Answer {
    /// In the middle of the way, by our clock; since `origin`, in nanoseconds.
    var time: Double
    /// The server's time less ours, less `base`.
    var offset: Double
    /// Nanoseconds on the way, there and back.
    var way: Double
  }

  private var answers: [Answer] = []
  private var origin: Int64 = 0
  private var base: Int64 = 0
  /// The line through what was answered: at `centre` since `origin`, and its slope.
  private var line: (centre: Double, offset: Double, slope: Double)?

  /// Nothing is known yet.
  package init() {}

  /// Takes an answer. Nanoseconds; `there` and `back` are each the receiving clock's time less the sending clock's. False for one that says
  /// nothing, because it took too long or no time at all.
  @discardableResult
  package mutating func note(there: Int64, back: Int64, arrived now: Int64) -> Bool {
    // Neither may overflow what follows. Clocks that count from 1970 differ from ours by less.
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

  /// A line by weighted least squares; with few answers it is as flat as clocks usually are.
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

  /// Our time, in nanoseconds, at which the server's clock shows a time; nil while nothing is known.
  package func ours(_ theirs: Int64) -> Int64? {
    guard let line else { return nil }
    let (rough, overflows) = theirs.subtractingReportingOverflow(base)
    guard !overflows else { return nil }
    let (since, overflowsToo) = rough.subtractingReportingOverflow(origin)
    guard !overflowsToo else { return nil }
    // The line is over our time, which is what is sought: twice is enough for clocks that differ by thousandths of that.
    var correction = 0.0
    for _ in 0..<2 { correction = line.offset + line.slope * (Double(since) - correction - line.centre) }
    guard abs(correction) < 1e15 else { return nil }
    return rough.subtractingReportingOverflow(Int64(correction)).partialValue
  }
}
