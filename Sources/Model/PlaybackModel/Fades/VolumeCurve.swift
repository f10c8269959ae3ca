// Converts the volume setting to a gain. Pure arithmetic; any thread except the audio thread, which receives gains.

/// The gain as a function of the volume setting: monotonic, 0 at 0 and exactly 1 at 100.
package enum VolumeCurve: UInt8, Hashable, Sendable, CaseIterable {
  /// gain = (percent / 100)³: 50 is −18 dB, 10 is −60 dB, 1 is −120 dB.
  case cubic
  /// Linear in dB from −50 dB at 1 to 0 dB at 100, about 0.5 dB per percent. Below 1, linear in amplitude to silence.
  /// ALSA mixers and phones use similar curves.
  case even

  /// Name in the configuration.
  package var name: String {
    switch self {
    case .cubic: "cubic"
    case .even: "even"
    }
  }

  /// The curve with a name; nil if there is none.
  package init?(name: String) {
    for curve in Self.allCases where curve.name == name {
      self = curve
      return
    }
    return nil
  }

  /// dB at 1 % on the even curve.
  private static let lowest: Float = -50

  /// The gain of a setting.
  ///
  /// - Parameter percent: 0…100.
  func gain(at percent: Float) -> Gain {
    switch self {
    case .cubic:
      let x = percent / 100
      return Gain(x * x * x)
    case .even:
      if percent >= 100 { return .unity }
      if percent >= 1 { return Gain(decibels: Self.lowest * (100 - percent) / 99) }
      return Gain(Gain(decibels: Self.lowest).factor * percent)
    }
  }

  /// Gain of a setting in dB, at most 0; nil for silence.
  package func decibels(at volume: Volume) -> Double? {
    let factor = volume.gain(self).factor
    return factor > 0 ? Polynomial.log2(Double(factor)) * 6.020599913279624 : nil
  }

  /// The setting with a given gain: the inverse of `gain`, to within 0.01 percent.
  ///
  /// - Parameter gain: Clamped to 0…1.
  package func volume(for gain: Gain) -> Volume {
    var (low, high) = (Float(0), Float(100))
    if gain >= .unity { return Volume(100) }
    for _ in 0..<20 {
      let middle = (low + high) / 2
      if self.gain(at: middle) > gain { high = middle } else { low = middle }
    }
    return Volume(low)
  }
}
