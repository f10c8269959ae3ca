// Loudness tags: ReplayGain 2.0 text values, and the EBU R128 values of Opus (RFC 7845). Worker process only.

import CodecPlugin

extension StreamDescription {
  /// The scope of a loudness value.
  public enum GainScope {
    /// The track.
    case track
    /// The album.
    case album
  }

  /// Sets a gain unless an earlier tag has set it.
  ///
  /// - Parameters:
  ///   - scope: Track or album.
  ///   - decibels: Gain in dB relative to -18 LUFS (ReplayGain 2.0). Values outside ±60 dB are ignored as
  ///     broken.
  public func setGainIfUnknown(_ scope: GainScope, _ decibels: Float) {
    guard decibels >= -60, decibels <= 60 else { return }
    switch scope {
    case .track:
      if raw.pointee.track_gain_db == Self.unknownGain { raw.pointee.track_gain_db = decibels }
    case .album:
      if raw.pointee.album_gain_db == Self.unknownGain { raw.pointee.album_gain_db = decibels }
    }
  }

  /// Sets a peak unless an earlier tag has set it.
  ///
  /// - Parameters:
  ///   - scope: Track or album.
  ///   - peak: Linear peak, 1.0 is full scale. Values above 16 (+24 dBFS) are ignored as broken.
  public func setPeakIfUnknown(_ scope: GainScope, _ peak: Float) {
    guard peak > 0, peak <= 16 else { return }
    switch scope {
    case .track: if raw.pointee.track_peak == 0 { raw.pointee.track_peak = peak }
    case .album: if raw.pointee.album_peak == 0 { raw.pointee.album_peak = peak }
    }
  }

  /// Sets a gain from an R128 tag (RFC 7845, 5.2.1). Replaces a ReplayGain value, which RFC 7845 forbids in
  /// Opus.
  ///
  /// - Parameters:
  ///   - scope: Track or album.
  ///   - q7dot8: Gain in 1/256 dB relative to -23 LUFS. Stored relative to -18 LUFS (+5 dB).
  public func setR128Gain(_ scope: GainScope, q7dot8: Int32) {
    guard q7dot8 >= -32768, q7dot8 <= 32767 else { return }
    let decibels = Float(q7dot8) / 256 + 5
    guard decibels >= -60, decibels <= 60 else { return }
    switch scope {
    case .track: raw.pointee.track_gain_db = decibels
    case .album: raw.pointee.album_gain_db = decibels
    }
  }

  /// Parses a ReplayGain tag such as `REPLAYGAIN_TRACK_GAIN` with the value `-7.03 dB`.
  ///
  /// - Returns: False if `key` is not a ReplayGain key. A malformed value is ignored.
  public func applyReplayGain(key: Bytes, value: Bytes) -> Bool {
    let scope: GainScope
    let isPeak: Bool
    if matches(key, "REPLAYGAIN_TRACK_GAIN") {
      (scope, isPeak) = (.track, false)
    } else if matches(key, "REPLAYGAIN_ALBUM_GAIN") {
      (scope, isPeak) = (.album, false)
    } else if matches(key, "REPLAYGAIN_TRACK_PEAK") {
      (scope, isPeak) = (.track, true)
    } else if matches(key, "REPLAYGAIN_ALBUM_PEAK") {
      (scope, isPeak) = (.album, true)
    } else {
      return false
    }
    if let number = decimalPrefix(value) {
      if isPeak { setPeakIfUnknown(scope, number) } else { setGainIfUnknown(scope, number) }
    }
    return true
  }
}
