// Fade curves computed from their formulas, independently of the mixer; used as the expected values by tests and
// simulator.

import Foundation
import PlaybackModel

extension FadeCurve {
  /// The expected gains at a progress from 0 to 1; values beyond are clamped.
  package func expectedGains(at progress: Double) -> (outgoing: Double, incoming: Double) {
    if progress <= 0 { return (1, 0) }
    if progress >= 1 { return (0, 1) }
    return (formula(1 - progress), formula(progress))
  }

  /// The incoming gain; the outgoing gain is its mirror image.
  private func formula(_ p: Double) -> Double {
    switch self {
    case .linear: p
    case .equalPower: sin(p * .pi / 2)
    case .sCurve: 3 * p * p - 2 * p * p * p
    case .logarithmic: log10(1 + 9 * p)
    case .exponential: (pow(10, p) - 1) / 9
    }
  }
}
