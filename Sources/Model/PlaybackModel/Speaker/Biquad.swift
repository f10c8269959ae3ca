// A filter of second order as five numbers, and how loud it passes each frequency.
// Pure arithmetic; any thread, the audio thread included.

/// y[n] = b0·x[n] + b1·x[n−1] + b2·x[n−2] − a1·y[n−1] − a2·y[n−2].
package struct Biquad: Hashable, Sendable {
  /// What the present sample counts for.
  package let b0: Double
  /// What the sample before counts for.
  package let b1: Double
  /// What the one before that counts for.
  package let b2: Double
  /// What is taken away of the last result.
  package let a1: Double
  /// What is taken away of the one before it.
  package let a2: Double

  /// A filter by its numbers.
  @_noLocks @_noAllocation
  package init(b0: Double, b1: Double, b2: Double, a1: Double, a2: Double) {
    self.b0 = b0
    self.b1 = b1
    self.b2 = b2
    self.a1 = a1
    self.a2 = a2
  }

  /// A factor for all frequencies alike.
  @_noLocks @_noAllocation
  package init(gain: Double) { self.init(b0: gain, b1: 0, b2: 0, a1: 0, a2: 0) }

  /// Passes everything as it is.
  package static var unity: Biquad {
    @_noLocks @_noAllocation get { Biquad(gain: 1) }
  }

  /// Whether it passes everything as it is.
  package var isUnity: Bool {
    @_noLocks @_noAllocation get { b0 == 1 && b1 == 0 && b2 == 0 && a1 == 0 && a2 == 0 }
  }

  /// Whether the numbers are the same.
  @_noLocks @_noAllocation
  package func isSame(as other: Biquad) -> Bool {
    b0 == other.b0 && b1 == other.b1 && b2 == other.b2 && a1 == other.a1 && a2 == other.a2
  }

  /// How loud it passes a sine, in decibels; −300 is silence.
  ///
  /// - Parameter frequency: In Hz, below half the rate.
  package func decibels(at frequency: Double, rate: SampleRate) -> Double {
    // By the square of the half angle's sine: near zero, the cosine of the whole one has no digits left.
    let sine = Polynomial.sineOfQuarterTurns(min(1, 2 * frequency / Double(rate.hertz)))
    let square = sine * sine
    let above = Self.square(b0, b1, b2, square)
    let below = Self.square(1, a1, a2, square)
    guard below > 0, above > 1e-30 * below else { return -300 }
    return Polynomial.log2(above / below) * 3.010299956639812
  }

  /// The squared size of c0 + c1·z⁻¹ + c2·z⁻² on the unit circle.
  private static func square(_ c0: Double, _ c1: Double, _ c2: Double, _ square: Double) -> Double {
    let sum = c0 + c1 + c2
    return sum * sum - 4 * square * (c0 * c1 + 4 * c0 * c2 + c1 * c2) + 16 * square * square * c0 * c2
  }
}

/// How loud filters in a row pass each frequency.
package struct FrequencyResponse: Sendable {
  private let filters: [Biquad]
  private let rate: SampleRate

  /// The response of filters at a rate.
  package init(of filters: [Biquad], rate: SampleRate) {
    self.filters = filters.filter { !$0.isUnity }
    self.rate = rate
  }

  /// Whether everything passes as it is.
  package var isFlat: Bool { filters.isEmpty }

  /// How loud a sine comes out, in decibels.
  ///
  /// - Parameter frequency: In Hz, at most half the rate.
  package func decibels(at frequency: Double) -> Double {
    filters.reduce(0) { $0 + $1.decibels(at: frequency, rate: rate) }
  }
}
