// Loudness compensation at low volume, where hearing is less sensitive to bass and treble. Pure values; any thread.

/// Loudness compensation that depends on the volume.
///
/// Per dB of volume below the reference, 0.3 dB more bass (up to 12 dB) and 0.06 dB more treble (up to 2.4 dB). This
/// approximates the equal-loudness contours of ISO 226.
package struct LoudnessContour: Hashable, Sendable {
  private static let maxAttenuation = 40.0
  private static let bassShare = 0.3
  private static let trebleShare = 0.06

  /// The volume without compensation.
  package let reference: Volume
  /// Converts the volume setting to a gain.
  package let curve: VolumeCurve

  /// A compensation that is off at the reference volume and above.
  package init(reference: Volume, curve: VolumeCurve) {
    self.reference = reference
    self.curve = curve
  }

  /// Bass and treble shelves for a volume. Their gain is always less than the volume's attenuation.
  package func filters(at rate: SampleRate, volume: Volume) -> (bass: Biquad, treble: Biquad) {
    let attenuation = attenuation(at: volume)
    return (
      bass: EqualizerBand(.lowShelf, frequency: 120, gain: attenuation * Self.bassShare, quality: 0.5)?
        .filter(at: rate) ?? .unity,
      treble: EqualizerBand(.highShelf, frequency: 8000, gain: attenuation * Self.trebleShare, quality: 0.5)?
        .filter(at: rate) ?? .unity
    )
  }

  /// Attenuation below the reference in dB, limited to `maxAttenuation`.
  private func attenuation(at volume: Volume) -> Double {
    guard volume.percent < reference.percent else { return 0 }
    guard volume.percent > 0.01, let high = curve.decibels(at: reference),
      let low = curve.decibels(at: volume)
    else { return Self.maxAttenuation }
    return min(high - low, Self.maxAttenuation)
  }
}
