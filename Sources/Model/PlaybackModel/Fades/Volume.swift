// The position of the volume knob, and loudness tags as gains.
// Pure arithmetic; any thread.

/// The position of a volume knob, 0 to 100. A `VolumeCurve` gives its gain.
package struct Volume: Hashable, Sendable {
  /// The position, 0…100.
  package let percent: Float

  /// A position, brought into 0…100; not-a-number counts as 0.
  package init(_ percent: Float) {
    self.percent = percent > 0 ? min(percent, 100) : 0
  }

  /// The amplitude factor; monotonic, 0 at 0 and exactly 1 at 100.
  package func gain(_ curve: VolumeCurve) -> Gain { curve.gain(at: percent) }
}

/// What tags say of a track's loudness: gains in decibels and sample peaks, per track and per album.
package struct Loudness: Hashable, Sendable {
  /// Decibels to add so that the track reaches the reference.
  package var trackGain: Float?
  /// The track's highest sample, 1 being full scale.
  package var trackPeak: Float?
  /// Decibels to add so that the whole album reaches the reference.
  package var albumGain: Float?
  /// The album's highest sample.
  package var albumPeak: Float?

  /// Values as the tags give them; nil where a tag is missing.
  package init(
    trackGain: Float? = nil, trackPeak: Float? = nil, albumGain: Float? = nil, albumPeak: Float? = nil
  ) {
    self.trackGain = trackGain
    self.trackPeak = trackPeak
    self.albumGain = albumGain
    self.albumPeak = albumPeak
  }

  /// Decibels from an R128_TRACK_GAIN or R128_ALBUM_GAIN tag: a signed number in 1/256 dB relative to
  /// −23 LUFS (RFC 7845, section 5.2.1), here brought to ReplayGain's reference, 5 dB higher.
  package static func decibels(r128 value: Int16) -> Float { Float(value) / 256 + 5 }

  /// Which of the values to use.
  package enum Mode: UInt8, Hashable, Sendable, CaseIterable {
    /// None: unity gain.
    case off
    /// The track's, or else the album's.
    case track
    /// The album's, or else the track's.
    case album
  }

  /// The factor to play with. Unity where mode or tags give nothing.
  /// - Parameters:
  ///   - preamp: Decibels added to the tag's gain.
  ///   - preventsClipping: Whether the factor is lowered until the highest sample stays within full scale.
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
    // Tags beyond 60 dB either way are errors; they must neither silence nor blast.
    var factor = Gain(decibels: min(max(sum, -60), 60)).factor
    if preventsClipping, let peak = values.peak, peak > 0, factor * peak > 1 { factor = 1 / peak }
    return Gain(factor)
  }
}

/// How tags' loudness is used.
package struct ReplayGain: Hashable, Sendable {
  /// Which of the values.
  package var mode = Loudness.Mode.off
  /// Decibels added to levelled tracks.
  package var preamp: Float = 0
  /// Whether a track is made no louder than its highest sample allows.
  package var preventsClipping = true

  /// Off.
  package init() {}

  /// The factor for a track; unity where its tags say nothing.
  package func gain(of track: Track) -> Gain {
    track.loudness?.gain(mode, preamp: preamp, preventsClipping: preventsClipping) ?? .unity
  }
}

extension Gain {
  /// The factor of a number of decibels, 10^(dB/20); −200 dB and less is silence, the bound above is
  /// +200 dB, not-a-number counts as silence.
  @_noLocks @_noAllocation
  package init(decibels: Float) {
    guard decibels > -200 else {
      self = .silence
      return
    }
    self.init(Float(Polynomial.exp2(Double(min(decibels, 200)) * 0.16609640474436813)))
  }
}
