// What a quiet box lacks: ears hear bass and treble worse the quieter it is. Pure values; any thread.

/// Loudness that follows the volume: with each decibel below the reference volume the bass gets 0.3 dB louder, up to 12,
/// and the treble 0.06 dB, up to 2.4. That is about how the equal-loudness contours of ISO 226 differ from each other.
package struct LoudnessContour: Hashable, Sendable {
  private static let maxAttenuation = 40.0
  private static let bassShare = 0.3
  private static let trebleShare = 0.06

  /// The volume at which music sounds as it was mixed.
  package let reference: Volume
  /// How the volume becomes a gain.
  package let curve: VolumeCurve

  /// A contour that does nothing at the reference and above.
  package init(reference: Volume, curve: VolumeCurve) {
    self.reference = reference
    self.curve = curve
  }

  /// The shelves for a volume: bass, then treble. What they add is always less than what the volume takes away.
  package func filters(at rate: SampleRate, volume: Volume) -> (bass: Biquad, treble: Biquad) {
    let attenuation = attenuation(at: volume)
    return (
      bass: EqualizerBand(.lowShelf, frequency: 120, gain: attenuation * Self.bassShare, quality: 0.5)?
        .filter(at: rate) ?? .unity,
      treble: EqualizerBand(.highShelf, frequency: 8000, gain: attenuation * Self.trebleShare, quality: 0.5)?
        .filter(at: rate) ?? .unity
    )
  }

  /// Decibels below the reference, as far as they count.
  private func attenuation(at volume: Volume) -> Double {
    guard volume.percent < reference.percent else { return 0 }
    guard volume.percent > 0.01, let high = curve.decibels(at: reference),
      let low = curve.decibels(at: volume)
    else { return Self.maxAttenuation }
    return min(high - low, Self.maxAttenuation)
  }
}
