// One band of the equaliser, and the filter that it stands for. Pure values; any thread.

/// A band of a parametric equaliser.
package struct EqualizerBand: Hashable, Sendable {
  /// What a band does to the frequencies around its own.
  package enum Shape: UInt8, Hashable, Sendable, CaseIterable {
    case peak
    case lowShelf
    case highShelf
    case highPass
    case lowPass
    case notch

    /// The name in commands.
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

    /// Whether a gain belongs to it.
    package var hasGain: Bool {
      switch self {
      case .peak, .lowShelf, .highShelf: true
      case .highPass, .lowPass, .notch: false
      }
    }
  }

  /// The frequencies that a band can have, in Hz.
  package static let frequencies = 10.0...20_000.0
  /// The gains, in decibels.
  package static let gains = -24.0...12.0
  /// The qualities: how narrow it is.
  package static let qualities = 0.1...20.0
  /// The quality of a filter without a hump.
  package static let plainQuality = 0.707

  /// What it does.
  package let shape: Shape
  /// Its middle or its corner, in Hz.
  package let frequency: Double
  /// How much louder or quieter, in decibels; 0 for shapes without a gain.
  package let gain: Double
  /// How narrow.
  package let quality: Double

  /// A band; nil for numbers out of their ranges.
  package init?(_ shape: Shape, frequency: Double, gain: Double = 0, quality: Double = plainQuality) {
    guard Self.frequencies.contains(frequency), Self.gains.contains(gain), Self.qualities.contains(quality),
      shape.hasGain || gain == 0
    else { return nil }
    self.shape = shape
    self.frequency = frequency
    self.gain = gain
    self.quality = quality
  }

  /// The filter at a rate, by the formulas of Robert Bristow-Johnson's Audio EQ Cookbook. A band at or above 0.49 of the
  /// rate does nothing.
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
      // 1 − cos, without the digits that the difference would lose.
      let half = sine * sine / (1 + cosine) / 2
      return Self.filter(half, 2 * half, half, over: 1 + alpha, -2 * cosine, 1 - alpha)
    case .notch:
      return Self.filter(1, -2 * cosine, 1, over: 1 + alpha, -2 * cosine, 1 - alpha)
    }
  }

  /// The square root of a gain as a factor.
  private static func amplitude(_ decibels: Double) -> Double {
    Polynomial.exp2(decibels * 0.08304820237218405)
  }

  /// A low shelf, or with side −1 a high one: the formulas differ in signs.
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
