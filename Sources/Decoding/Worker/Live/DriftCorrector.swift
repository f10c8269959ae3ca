// By how much a live source has to be played faster or slower, so that its delay stays what it is to be: its sender has a clock of
// its own. A pure value; any thread.

/// Follows the mean delay over seconds, and steers so slowly that it is not heard.
struct DriftCorrector: Hashable {
  /// The most that is corrected, in millionths: 4 cents. Clocks differ by less than a tenth of that.
  static let most = 2500.0
  /// How much the correction changes in a second at most, in millionths: a sixth of a cent.
  private static let steepest = 100.0
  /// Millionths of correction for a second of delay: what is wrong halves in half a minute.
  private static let proportion = 20_000.0
  /// The same for a second of delay that lasts a second: a steady difference of the clocks is made up for, without a rest.
  private static let integral = 100.0
  /// Seconds over which delays are averaged before anything follows from them.
  private static let window = 1.0
  /// Windows over which what follows is smoothed.
  private static let smoothing = 4.0

  /// Seconds.
  let target: Double
  /// By how many millionths the source is played faster.
  private(set) var correction = 0.0
  /// What the clocks differ by, as far as it is known.
  private var difference = 0.0
  private var error: Double?
  private var sum = 0.0
  private var count = 0
  private var began: Double?

  init(target: Double) { self.target = target }

  /// Sound begins anew: what is known of the clocks stays.
  mutating func restart() {
    correction = difference
    (error, began, sum, count) = (nil, nil, 0, 0)
  }

  /// Takes note of a delay in seconds, at a time in seconds. Answers whether the correction has changed.
  mutating func note(_ delay: Double, at time: Double) -> Bool {
    guard let start = began, time >= start, time < start + 10 * Self.window else {
      (began, sum, count) = (time, delay, 1)
      return false
    }
    sum += delay
    count += 1
    let elapsed = time - start
    guard elapsed >= Self.window else { return false }
    let mean = sum / Double(count) - target
    (began, sum, count) = (time, 0, 0)
    let smooth = error.map { $0 + (mean - $0) / Self.smoothing } ?? mean
    error = smooth
    let wanted = difference + Self.proportion * smooth
    // What cannot be done is not saved up.
    if abs(wanted) < Self.most { difference += Self.integral * smooth * elapsed }
    let step = Self.steepest * elapsed
    let former = correction
    correction = min(max(wanted, correction - step), correction + step)
    correction = min(max(correction, -Self.most), Self.most)
    return correction != former
  }
}
