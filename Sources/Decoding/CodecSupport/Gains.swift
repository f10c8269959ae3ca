// Loudness tags: ReplayGain 2.0 text values and EBU R128 values of Opus. Worker process only.

import CodecPlugin

extension StreamDescription {
  /// Which gain a tag speaks of.
  public enum GainScope {
    /// This track alone.
    case track
    /// The album it is on.
    case album
  }

  /// Records a gain in dB against -18 LUFS (the ReplayGain reference) unless one is there; a value beyond
  /// 60 dB either way is a broken tag.
  public func setGainIfUnknown(_ scope: GainScope, _ decibels: Float) {
    guard decibels >= -60, decibels <= 60 else { return }
    switch scope {
    case .track:
      if raw.pointee.track_gain_db == Self.unknownGain { raw.pointee.track_gain_db = decibels }
    case .album:
      if raw.pointee.album_gain_db == Self.unknownGain { raw.pointee.album_gain_db = decibels }
    }
  }

  /// Records a linear peak unless one is there; values above 16 (+24 dBFS) are broken tags.
  public func setPeakIfUnknown(_ scope: GainScope, _ peak: Float) {
    guard peak > 0, peak <= 16 else { return }
    switch scope {
    case .track: if raw.pointee.track_peak == 0 { raw.pointee.track_peak = peak }
    case .album: if raw.pointee.album_peak == 0 { raw.pointee.album_peak = peak }
    }
  }

  /// Records an R128 gain (RFC 7845, 5.2.1): a Q7.8 number of dB against -23 LUFS. It replaces a ReplayGain
  /// value, which RFC 7845 forbids in Opus.
  public func setR128Gain(_ scope: GainScope, q7dot8: Int32) {
    guard q7dot8 >= -32768, q7dot8 <= 32767 else { return }
    let decibels = Float(q7dot8) / 256 + 5
    guard decibels >= -60, decibels <= 60 else { return }
    switch scope {
    case .track: raw.pointee.track_gain_db = decibels
    case .album: raw.pointee.album_gain_db = decibels
    }
  }

  /// Records a ReplayGain tag such as `REPLAYGAIN_TRACK_GAIN`, `-7.03 dB`; false if `key` is none.
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
