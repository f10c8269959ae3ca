// How a position of the volume knob becomes a gain.
// Pure arithmetic; any thread but the audio thread, which gets gains.

/// The gain of each position of the volume knob. Every curve is monotonic, 0 at 0 and exactly 1 at 100.
package enum VolumeCurve: UInt8, Hashable, Sendable, CaseIterable {
  /// gain = (percent / 100)³: 50 is −18 dB, 10 is −60 dB, 1 is −120 dB.
  case cubic
  /// Straight in decibels from −50 dB at 1 to 0 dB at 100, about half a decibel a percent; below 1 straight in amplitude to silence.
  /// ALSA's mixers and phones use curves of this kind.
  case even

  /// The name in configurations.
  package var name: String {
    switch self {
    case .cubic: "cubic"
    case .even: "even"
    }
  }

  /// The curve of that name; nil for another name.
  package init?(name: String) {
    for curve in Self.allCases where curve.name == name {
      self = curve
      return
    }
    return nil
  }

  /// Decibels at 1 % on the even curve.
  private static let lowest: Float = -50

  /// The amplitude factor at a position.
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

  /// The decibels of a position, at most 0; nil for silence.
  package func decibels(at volume: Volume) -> Double? {
    let factor = volume.gain(self).factor
    return factor > 0 ? Polynomial.log2(Double(factor)) * 6.020599913279624 : nil
  }

  /// The position with a given gain: the inverse of `gain`, within a hundredth of a percent.
  /// - Parameter gain: Brought into 0…1.
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
