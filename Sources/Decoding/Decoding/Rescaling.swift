// Exact conversion of frame counts between the file's sample rate and the engine's. Pure; any thread.

/// The sample rates of a track's file and of the engine, in Hz.
struct Rescaling: Hashable {
  let source: Int64
  let engine: Int64

  /// Whether no resampling is needed.
  var isIdentity: Bool { source == engine }

  /// Converts a number of source frames to the engine's rate, rounded to nearest, halves up. This is the
  /// exact length of a resampled track.
  func engineFrames(_ frames: Int64) -> Int64 { Self.rounded(frames, times: engine, over: source) }

  /// Finds a start position for resampling that is in phase with resampling from the beginning.
  ///
  /// - Parameters:
  ///   - target: The engine frame to reach.
  ///   - warmUp: Minimum distance before `target`, in source frames.
  /// - Returns: The last pair of frames that are the same instant in both rates.
  func commonInstant(before target: Int64, warmUp: Int64) -> (source: Int64, engine: Int64) {
    var (a, b) = (source, engine)
    while b != 0 { (a, b) = (b, a % b) }
    let (sourceStep, engineStep) = (source / a, engine / a)
    let warmUpSteps = (warmUp + sourceStep - 1) / sourceStep
    let steps = max(0, target / engineStep - warmUpSteps)
    return (steps * sourceStep, steps * engineStep)
  }

  private static func rounded(_ value: Int64, times factor: Int64, over divisor: Int64) -> Int64 {
    // value < 2^48 and factor < 2^20; divided first so that no product overflows 64 bits.
    let (whole, rest) = (value / divisor, value % divisor)
    return whole * factor + (2 * rest * factor + divisor) / (2 * divisor)
  }
}
