// By how much a live source has to be played faster or slower, so that its delay stays what it is to be, or its frames are heard when they
// are due: its sender has a clock of its own. A pure value; any thread. Belongs to no protocol.

/// Follows a mean over seconds, and steers so slowly that it is not heard.
struct DriftCorrector: Hashable {
  /// How firmly it steers.
  struct Firmness: Hashable {
    /// Millionths of correction for a second of error.
    let proportion: Double
    /// The same for a second of error that lasts a second: a steady difference of the clocks is made up for, without a rest.
    let integral: Double
    /// Seconds over which delays are averaged before anything follows from them.
    let window: Double
    /// Windows over which what follows is smoothed.
    let smoothing: Double

    /// For delays, which jitter as the network does: what is wrong halves in half a minute.
    static var gentle: Firmness { Firmness(proportion: 20_000, integral: 100, window: 1, smoothing: 4) }
    /// For frames that have a time: what is wrong halves in a few seconds, and clocks that differ by 200 millionths are followed
    /// within half a millisecond.
    static var firm: Firmness { Firmness(proportion: 500_000, integral: 62_500, window: 0.5, smoothing: 1) }
  }

  /// The most that is corrected, in millionths: 4 cents. Clocks differ by less than a tenth of that.
  static let maxCount = 2500.0
  /// How much the correction changes in a second at most, in millionths: a sixth of a cent.
  private static let steepest = 100.0

  /// Seconds.
  let target: Double
  private let firmness: Firmness
  /// By how many millionths the source is played faster.
  private(set) var correction = 0.0
  /// What the clocks differ by, as far as it is known.
  private var difference = 0.0
  private var error: Double?
  private var sum = 0.0
  private var count = 0
  private var began: Double?

  init(target: Double, _ firmness: Firmness = .gentle) {
    self.target = target
    self.firmness = firmness
  }

  /// Sound begins anew: what is known of the clocks stays.
  mutating func restart() {
    correction = difference
    (error, began, sum, count) = (nil, nil, 0, 0)
  }

  /// Takes note of a delay in seconds, at a time in seconds. Answers whether the correction has changed.
  mutating func note(_ delay: Double, at time: Double) -> Bool {
    guard let start = began, time >= start, time < start + 10 * firmness.window else {
      (began, sum, count) = (time, delay, 1)
      return false
    }
    sum += delay
    count += 1
    let elapsed = time - start
    guard elapsed >= firmness.window else { return false }
    let mean = sum / Double(count) - target
    (began, sum, count) = (time, 0, 0)
    let smooth = error.map { $0 + (mean - $0) / firmness.smoothing } ?? mean
    error = smooth
    let wanted = difference + firmness.proportion * smooth
    // What cannot be done is not saved up.
    if abs(wanted) < Self.maxCount { difference += firmness.integral * smooth * elapsed }
    let step = Self.steepest * elapsed
    let former = correction
    correction = min(max(wanted, correction - step), correction + step)
    correction = min(max(correction, -Self.maxCount), Self.maxCount)
    return correction != former
  }
}
