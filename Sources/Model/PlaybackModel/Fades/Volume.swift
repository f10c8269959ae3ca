// Volume setting and loudness tags, converted to gains. Pure arithmetic; any thread.

/// A volume setting from 0 to 100. A `VolumeCurve` converts it to a gain.
package struct Volume: Hashable, Sendable {
  /// The setting, 0…100.
  package let percent: Float

  /// A setting, clamped to 0…100; NaN counts as 0.
  package init(_ percent: Float) {
    self.percent = percent > 0 ? min(percent, 100) : 0
  }

  /// The gain: monotonic, 0 at 0 and exactly 1 at 100.
  package func gain(_ curve: VolumeCurve) -> Gain { curve.gain(at: percent) }
}

/// Loudness tags of a track: gains in dB and sample peaks, for track and album.
package struct Loudness: Hashable, Sendable {
  /// Gain in dB that brings the track to the reference loudness.
  package var trackGain: Float?
  /// Peak sample of the track; 1 is full scale.
  package var trackPeak: Float?
  /// Gain in dB that brings the whole album to the reference loudness.
  package var albumGain: Float?
  /// Peak sample of the album; 1 is full scale.
  package var albumPeak: Float?

  /// Values of the tags; nil if a tag is missing.
  package init(
    trackGain: Float? = nil, trackPeak: Float? = nil, albumGain: Float? = nil, albumPeak: Float? = nil
  ) {
    self.trackGain = trackGain
    self.trackPeak = trackPeak
    self.albumGain = albumGain
    self.albumPeak = albumPeak
  }

  /// Converts an R128_TRACK_GAIN or R128_ALBUM_GAIN tag to dB of ReplayGain's reference.
  ///
  /// - Parameter value: 1/256 dB relative to −23 LUFS (RFC 7845, section 5.2.1); ReplayGain's reference is 5 dB higher.
  package static func decibels(r128 value: Int16) -> Float { Float(value) / 256 + 5 }

  /// Which values to use.
  package enum Mode: UInt8, Hashable, Sendable, CaseIterable {
    /// None: unity gain.
    case off
    /// Track values, with album values as fallback.
    case track
    /// Album values, with track values as fallback.
    case album
  }

  /// The gain to play with; unity if mode or tags give none.
  ///
  /// - Parameters:
  ///   - mode: Which values to use.
  ///   - preamp: Added to the tag's gain, in dB.
  ///   - preventsClipping: Whether to limit the gain so that the peak sample stays within full scale.
  package func gain(_ mode: Mode, preamp: Float = 0, preventsClipping: Bool = true) -> Gain {
    let values: (gain: Float?, peak: Float?)
    switch mode {
    case .off: return .unity
    case .track:
      values = trackGain != nil ? (trackGain, trackPeak) : (albumGain, albumPeak)
    case .album:
      values = albumGain != nil ? (albumGain, albumPeak) : (trackGain, trackPeak)
    }
    guard let tag = values.gain else { return .unity }
    let sum = tag + preamp
    guard sum == sum else { return .unity }
    // Gains beyond ±60 dB are errors in the tags; clamp them to avoid silence and excessive level.
    var factor = Gain(decibels: min(max(sum, -60), 60)).factor
    if preventsClipping, let peak = values.peak, peak > 0, factor * peak > 1 { factor = 1 / peak }
    return Gain(factor)
  }
}

/// Settings for loudness tags.
package struct ReplayGain: Hashable, Sendable {
  /// Which values to use.
  package var mode = Loudness.Mode.off
  /// Added to the gain of tagged tracks, in dB.
  package var preamp: Float = 0
  /// Whether to limit the gain so that the peak sample stays within full scale.
  package var preventsClipping = true

  /// Settings with ReplayGain off.
  package init() {}

  /// The gain of a track; unity without tags.
  package func gain(of track: Track) -> Gain {
    track.loudness?.gain(mode, preamp: preamp, preventsClipping: preventsClipping) ?? .unity
  }
}

extension Gain {
  /// The gain 10^(dB/20). Values up to −200 dB and NaN give silence; larger ones are limited to +200 dB.
  @_noLocks @_noAllocation
  package init(decibels: Float) {
    guard decibels > -200 else {
      self = .silence
      return
    }
    self.init(Float(Polynomial.exp2(Double(min(decibels, 200)) * 0.16609640474436813)))
  }
}
