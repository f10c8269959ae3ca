// Crossfade curves: gains as functions of progress. Pure arithmetic, also on the audio thread: no allocation, no lock,
// no libm.

/// Curve of a crossfade: the outgoing and incoming gain as functions of the progress p.
package enum FadeCurve: UInt8, Hashable, Sendable, CaseIterable {
  /// Incoming p, outgoing 1 − p. Constant amplitude, for correlated material.
  case linear
  /// Incoming sin(πp/2), outgoing cos(πp/2). Constant power, for uncorrelated tracks.
  case equalPower
  /// Incoming 3p² − 2p³, outgoing 1 minus that. Smooth start and end.
  case sCurve
  /// Incoming log₁₀(1 + 9p), outgoing log₁₀(1 + 9(1 − p)). Both are loud in the middle.
  case logarithmic
  /// Incoming (10ᵖ − 1)/9, outgoing (10¹⁻ᵖ − 1)/9. Both are quiet in the middle.
  case exponential

  /// Name in commands and in the configuration.
  package var name: String {
    switch self {
    case .linear: "linear"
    case .equalPower: "equal-power"
    case .sCurve: "s-curve"
    case .logarithmic: "logarithmic"
    case .exponential: "exponential"
    }
  }

  /// The curve with a name; nil if there is none.
  package init?(name: String) {
    for curve in FadeCurve.allCases where curve.name == name {
      self = curve
      return
    }
    return nil
  }

  /// Both gains at a progress. Any thread.
  ///
  /// - Parameter progress: 0 to 1; clamped, NaN counts as 0.
  /// - Returns: Exactly (1, 0) at 0 and (0, 1) at 1, monotonic between them, within 1e-6 of the formulas.
  @_noLocks @_noAllocation
  package func gains(at progress: Float) -> (outgoing: Gain, incoming: Gain) {
    gains(atExact: Double(progress))
  }

  /// Both gains at a progress in double precision. Any thread.
  ///
  /// The mixer uses this one, because in long fades the progress of adjacent frames differs by less than 24 bits can
  /// represent.
  @_noLocks @_noAllocation
  package func gains(atExact progress: Double) -> (outgoing: Gain, incoming: Gain) {
    guard progress > 0 else { return (.unity, .silence) }
    return (incomingGain(atExact: 1 - progress), incomingGain(atExact: progress))
  }

  /// The incoming gain at a progress; the outgoing gain is that of 1 − progress. Any thread.
  @_noLocks @_noAllocation
  package func incomingGain(atExact progress: Double) -> Gain {
    guard progress > 0 else { return .silence }
    return progress < 1 ? Gain(rising(progress)) : .unity
  }

  /// The incoming gain for 0 < p < 1. All curves are symmetric: the outgoing gain at p is the incoming one at 1 − p.
  @_noLocks @_noAllocation
  private func rising(_ p: Double) -> Float {
    let gain: Double
    switch self {
    case .linear: gain = p
    case .equalPower: gain = Polynomial.sineOfQuarterTurns(p)
    case .sCurve: gain = p * p * (3 - 2 * p)
    case .logarithmic: gain = Polynomial.log2(1 + 9 * p) * 0.30102999566398120
    case .exponential: gain = (Polynomial.exp2(p * 3.3219280948873623) - 1) / 9
    }
    return Float(min(max(gain, 0), 1))
  }
}
