// A second-order filter (biquad) and its frequency response. Pure arithmetic; any thread, including the audio thread.

/// A biquad: y[n] = b0·x[n] + b1·x[n−1] + b2·x[n−2] − a1·y[n−1] − a2·y[n−2].
package struct Biquad: Hashable, Sendable {
  /// Coefficient of x[n].
  package let b0: Double
  /// Coefficient of x[n−1].
  package let b1: Double
  /// Coefficient of x[n−2].
  package let b2: Double
  /// Coefficient of y[n−1], subtracted.
  package let a1: Double
  /// Coefficient of y[n−2], subtracted.
  package let a2: Double

  /// A filter with these coefficients.
  @_noLocks @_noAllocation
  package init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    self.b0 = b0
    self.b1 = b1
    self.b2 = b2
    self.a1 = a1
    self.a2 = a2
  }

  /// A gain, independent of frequency.
  @_noLocks @_noAllocation
  package init(gain: Double) { self.init(b0: gain, b1: 0, b2: 0, a1: 0, a2: 0) }

  /// The filter that passes all samples unchanged.
  package static var unity: Biquad {
    @_noLocks @_noAllocation get { Biquad(gain: 1) }
  }

  /// Whether the filter passes all samples unchanged.
  package var isUnity: Bool {
    @_noLocks @_noAllocation get { b0 == 1 && b1 == 0 && b2 == 0 && a1 == 0 && a2 == 0 }
  }

  /// Whether all coefficients are equal.
  @_noLocks @_noAllocation
  package func isSame(as other: Biquad) -> Bool {
    b0 == other.b0 && b1 == other.b1 && b2 == other.b2 && a1 == other.a1 && a2 == other.a2
  }

  /// Gain at a frequency in dB; −300 for silence.
  ///
  /// - Parameters:
  ///   - frequency: In Hz, at most half the sample rate.
  ///   - rate: The sample rate.
  package func decibels(at frequency: Double, rate: SampleRate) -> Double {
    // Use the squared sine of the half angle: near zero, the cosine of the whole angle loses all precision.
    let sine = Polynomial.sineOfQuarterTurns(min(1, 2 * frequency / Double(rate.hertz)))
    let square = sine * sine
    let above = Self.square(b0, b1, b2, square)
    let below = Self.square(1, a1, a2, square)
    guard below > 0, above > 1e-30 * below else { return -300 }
    return Polynomial.log2(above / below) * 3.010299956639812
  }

  /// Squared magnitude of c0 + c1·z⁻¹ + c2·z⁻² on the unit circle.
  private static func square(_ c0: Double, _ c1: Double, _ c2: Double, _ square: Double) -> Double {
    let sum = c0 + c1 + c2
    return sum * sum - 4 * square * (c0 * c1 + 4 * c0 * c2 + c1 * c2) + 16 * square * square * c0 * c2
  }
}

/// Frequency response of a cascade of filters.
package struct FrequencyResponse: Sendable {
  private let filters: [Biquad]
  private let rate: SampleRate

  /// The response of filters at a sample rate.
  package init(of filters: [Biquad], rate: SampleRate) {
    self.filters = filters.filter { !$0.isUnity }
    self.rate = rate
  }

  /// Whether no filter changes the samples.
  package var isFlat: Bool { filters.isEmpty }

  /// Gain at a frequency in dB.
  ///
  /// - Parameter frequency: In Hz, at most half the sample rate.
  package func decibels(at frequency: Double) -> Double {
    filters.reduce(0) { $0 + $1.decibels(at: frequency, rate: rate) }
  }
}
