// A band of the parametric equaliser, and its biquad filter. Pure values; any thread.

/// A band of a parametric equaliser.
package struct EqualizerBand: Hashable, Sendable {
  /// Filter type of a band.
  package enum Shape: UInt8, Hashable, Sendable, CaseIterable {
    case peak
    case lowShelf
    case highShelf
    case highPass
    case lowPass
    case notch

    /// Name in commands.
    package var name: String {
      switch self {
      case .peak: "peak"
      case .lowShelf: "low-shelf"
      case .highShelf: "high-shelf"
      case .highPass: "high-pass"
      case .lowPass: "low-pass"
      case .notch: "notch"
      }
    }

    /// Whether the type has a gain.
    package var hasGain: Bool {
      switch self {
      case .peak, .lowShelf, .highShelf: true
      case .highPass, .lowPass, .notch: false
      }
    }
  }

  /// Range of the frequency in Hz.
  package static let frequencies = 10.0...20_000.0
  /// Range of the gain in dB.
  package static let gains = -24.0...12.0
  /// Range of the quality factor Q; larger values are narrower.
  package static let qualities = 0.1...20.0
  /// Quality factor without resonance (Butterworth).
  package static let plainQuality = 0.707

  /// Filter type.
  package let shape: Shape
  /// Centre or corner frequency in Hz.
  package let frequency: Double
  /// Gain in dB; 0 for types without a gain.
  package let gain: Double
  /// Quality factor Q.
  package let quality: Double

  /// A band; nil if a value is out of range.
  package init?(_ shape: Shape, frequency: Double, gain: Double = 0, quality: Double = plainQuality) {
    guard Self.frequencies.contains(frequency), Self.gains.contains(gain), Self.qualities.contains(quality),
      shape.hasGain || gain == 0
    else { return nil }
    self.shape = shape
    self.frequency = frequency
    self.gain = gain
    self.quality = quality
  }

  /// The band's filter at a sample rate, by the Audio EQ Cookbook (Robert Bristow-Johnson). At or above 0.49 of the
  /// sample rate it has no effect.
  package func filter(at rate: SampleRate) -> Biquad {
    let turns = frequency / Double(rate.hertz)
    guard turns < 0.49, !(shape.hasGain && gain == 0) else { return .unity }
    let quarters = 4 * turns
    let sine = Polynomial.sineOfQuarterTurns(quarters <= 1 ? quarters : 2 - quarters)
    let cosine =
      quarters <= 1
      ? Polynomial.sineOfQuarterTurns(1 - quarters) : -Polynomial.sineOfQuarterTurns(quarters - 1)
    let alpha = sine / (2 * quality)
    switch shape {
    case .peak:
      let size = Self.amplitude(gain)
      return Self.filter(
        1 + alpha * size, -2 * cosine, 1 - alpha * size, over: 1 + alpha / size, -2 * cosine, 1 - alpha / size
      )
    case .lowShelf: return Self.shelf(Self.amplitude(gain), cosine, alpha, side: 1)
    case .highShelf: return Self.shelf(Self.amplitude(gain), cosine, alpha, side: -1)
    case .highPass:
      let half = (1 + cosine) / 2
      return Self.filter(half, -2 * half, half, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .lowPass:
      // 1 − cos, without the loss of precision in the difference.
      let half = sine * sine / (1 + cosine) / 2
      return Self.filter(half, 2 * half, half, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .notch:
      return Self.filter(1, -2 * cosine, 1, over: 1 + alpha, -2 * cosine, 1 - alpha)
    }
  }

  /// Square root of a gain in dB, as a factor.
  private static func amplitude(_ decibels: Double) -> Double {
    Polynomial.exp2(decibels * 0.08304820237218405)
  }

  /// A low shelf with side 1, a high shelf with side −1; the formulas differ only in signs.
  private static func shelf(_ size: Double, _ cosine: Double, _ alpha: Double, side: Double) -> Biquad {
    let root = 2 * size.squareRoot() * alpha
    let plus = size + 1
    let minus = size - 1
    let turned = side * cosine
    return filter(
      size * (plus - minus * turned + root), side * 2 * size * (minus - plus * turned),
      size * (plus - minus * turned - root), over: plus + minus * turned + root,
      side * -2 * (minus + plus * turned), plus + minus * turned - root)
  }

  private static func filter(
    _ b0: Double, _ b1: Double, _ b2: Double, over a0: Double, _ a1: Double, _ a2: Double
  ) -> Biquad {
    Biquad(b0: b0 / a0, b1: b1 / a0, b2: b2 / a0, a1: a1 / a0, a2: a2 / a0)
  }
}
