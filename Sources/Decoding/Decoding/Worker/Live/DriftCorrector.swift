// Clock drift compensation for a live source: computes the rate correction that keeps its delay, or its
// presentation times. A pure value; any thread. Independent of the protocol.

/// A PI controller on averaged delays. Limits the slope of its correction so that it is inaudible.
struct DriftCorrector: Hashable {
  /// The controller's parameters.
  struct Firmness: Hashable {
    /// Correction in ppm per second of error.
    let proportion: Double
    /// Change of the correction in ppm per second, per second of error. Removes the error of a constant clock
    /// difference.
    let integral: Double
    /// Seconds over which delays are averaged.
    let window: Double
    /// Number of windows over which the averages are smoothed.
    let smoothing: Double

    /// For delays with network jitter: halves an error in half a minute.
    static var gentle: Firmness { Firmness(proportion: 20_000, integral: 100, window: 1, smoothing: 4) }
    /// For presentation times: halves an error in a few seconds, and follows a clock difference of 200 ppm
    /// within half a millisecond.
    static var firm: Firmness { Firmness(proportion: 500_000, integral: 62_500, window: 0.5, smoothing: 1) }
  }

  /// Maximum correction in ppm: 4 cents. Clocks differ by less than a tenth of that.
  static let maxCount = 2500.0
  /// Maximum change of the correction per second, in ppm: a sixth of a cent.
  private static let steepest = 100.0

  /// The delay to keep, in seconds.
  let target: Double
  private let firmness: Firmness
  /// The present correction in ppm; positive plays the source faster.
  private(set) var correction = 0.0
  /// The estimated clock difference in ppm.
  private var difference = 0.0
  private var error: Double?
  private var sum = 0.0
  private var count = 0
  private var began: Double?

  init(target: Double, _ firmness: Firmness = .gentle) {
    self.target = target
    self.firmness = firmness
  }

  /// Resets the controller for new audio, but keeps the estimated clock difference.
  mutating func restart() {
    correction = difference
    (error, began, sum, count) = (nil, nil, 0, 0)
  }

  /// Processes a measured delay.
  ///
  /// - Parameters:
  ///   - delay: In seconds.
  ///   - time: Time of the measurement in seconds.
  /// - Returns: Whether the correction has changed.
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
    // Anti-windup: no integration while the correction is at its limit.
    if abs(wanted) < Self.maxCount { difference += firmness.integral * smooth * elapsed }
    let step = Self.steepest * elapsed
    let former = correction
    correction = min(max(wanted, correction - step), correction + step)
    correction = min(max(correction, -Self.maxCount), Self.maxCount)
    return correction != former
  }
}
