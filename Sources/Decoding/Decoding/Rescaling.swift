// Frame counts between the file's rate and the engine's, exactly. Pure; any thread.

/// The pair of rates of one track.
struct Rescaling: Hashable {
  let source: Int64
  let engine: Int64

  /// Whether frames pass through unchanged.
  var isIdentity: Bool { source == engine }

  /// Length of `frames` source frames at the engine's rate, rounded to the nearest frame, halves up.
  /// This is what a resampled track has, no frame more or less.
  func engineFrames(_ frames: Int64) -> Int64 { Self.rounded(frames, times: engine, over: source) }

  /// The last pair of positions, one in each rate, that are the same instant exactly and lie at least
  /// `warmUp` source frames before engine frame `target`. Resampling that starts there is in phase with
  /// resampling from the start.
  func commonInstant(before target: Int64, warmUp: Int64) -> (source: Int64, engine: Int64) {
    var (a, b) = (source, engine)
    while b != 0 { (a, b) = (b, a % b) }
    let (sourceStep, engineStep) = (source / a, engine / a)
    let warmUpSteps = (warmUp + sourceStep - 1) / sourceStep
    let steps = max(0, target / engineStep - warmUpSteps)
    return (steps * sourceStep, steps * engineStep)
  }

  private static func rounded(_ value: Int64, times factor: Int64, over divisor: Int64) -> Int64 {
    // value < 2^48 and factor < 2^20, split so that no product leaves 64 bits.
    let (whole, rest) = (value / divisor, value % divisor)
    return whole * factor + (2 * rest * factor + divisor) / (2 * divisor)
  }
}
