// The shapes of a fade between tracks, as gains over progress.
// Pure arithmetic, evaluated on the audio thread: no allocation, no lock, no libm.

/// The shape of a fade: how the outgoing and the incoming gain depend on progress.
package enum FadeCurve: UInt8, Hashable, Sendable, CaseIterable {
  /// Incoming p, outgoing 1 − p: constant amplitude, for material that is in phase.
  case linear
  /// Incoming sin(πp/2), outgoing cos(πp/2): constant power, for unrelated tracks.
  case equalPower
  /// Incoming 3p² − 2p³, outgoing 1 minus that: starts and ends without a kink.
  case sCurve
  /// Incoming log₁₀(1 + 9p), outgoing log₁₀(1 + 9(1 − p)): both are loud in the middle.
  case logarithmic
  /// Incoming (10ᵖ − 1)/9, outgoing (10¹⁻ᵖ − 1)/9: both are quiet in the middle.
  case exponential

  /// The name in commands and in the configuration.
  package var name: String {
    switch self {
    case .linear: "linear"
    case .equalPower: "equal-power"
    case .sCurve: "s-curve"
    case .logarithmic: "logarithmic"
    case .exponential: "exponential"
    }
  }

  /// The curve of that name.
  package init?(name: String) {
    for curve in FadeCurve.allCases where curve.name == name {
      self = curve
      return
    }
    return nil
  }

  /// Both gains at a progress from 0 to 1 (clamped; not-a-number counts as 0). Exactly (1, 0) at 0 and
  /// (0, 1) at 1, monotonic in between, within 1e-6 of the formulas above. Any thread.
  @_noLocks @_noAllocation
  package func gains(at progress: Float) -> (outgoing: Gain, incoming: Gain) {
    gains(atExact: Double(progress))
  }

  /// As `gains(at:)`, for progress computed in double precision: what the mixer uses, because fractions
  /// of long fades need more than 24 bits to differ from frame to frame. Any thread.
  @_noLocks @_noAllocation
  package func gains(atExact progress: Double) -> (outgoing: Gain, incoming: Gain) {
    guard progress > 0 else { return (.unity, .silence) }
    return (incomingGain(atExact: 1 - progress), incomingGain(atExact: progress))
  }

  /// The incoming one of these gains; the outgoing one is that of the rest, 1 − progress. Any thread.
  @_noLocks @_noAllocation
  package func incomingGain(atExact progress: Double) -> Gain {
    guard progress > 0 else { return .silence }
    return progress < 1 ? Gain(rising(progress)) : .unity
  }

  /// The incoming gain inside the open interval. Every curve here is its own mirror image: outgoing at p
  /// is incoming at 1 − p.
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
