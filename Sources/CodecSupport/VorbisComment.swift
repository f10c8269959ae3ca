// Vorbis comments (xiph.org "Ogg Vorbis I format specification: comment field"), as FLAC, Vorbis and Opus
// carry them. Worker process only.

extension StreamDescription {
  /// Reads one `KEY=value` comment; keys that nothing here uses, and text without `=`, are passed over.
  /// Where a key repeats, the first value counts.
  public func applyVorbisComment(_ comment: Bytes) {
    guard let equals = comment.prefix(64).firstIndex(of: 0x3D) else { return }
    let key = Bytes(rebasing: comment[..<equals])
    let value = Bytes(rebasing: comment[(equals + 1)...])
    if matches(key, "TITLE") {
      setTextIfEmpty(.title, value)
    } else if matches(key, "ARTIST") {
      setTextIfEmpty(.artist, value)
    } else if matches(key, "ALBUM") {
      setTextIfEmpty(.album, value)
    } else if matches(key, "ALBUMARTIST") || matches(key, "ALBUM ARTIST") {
      setTextIfEmpty(.albumArtist, value)
    } else if matches(key, "TRACKNUMBER") {
      setTrackNumberIfUnknown(value)
    } else if matches(key, "GENRE") {
      setTextIfEmpty(.genre, value)
    } else if matches(key, "DATE") || matches(key, "YEAR") {
      setTextIfEmpty(.date, value)
    } else if matches(key, "DISCNUMBER") {
      setDiscNumberIfUnknown(value)
    } else if matches(key, "R128_TRACK_GAIN") {
      if let gain = decimalPrefix(value) { setR128Gain(.track, q7dot8: Int32(gain.clamped)) }
    } else if matches(key, "R128_ALBUM_GAIN") {
      if let gain = decimalPrefix(value) { setR128Gain(.album, q7dot8: Int32(gain.clamped)) }
    } else {
      _ = applyReplayGain(key: key, value: value)
    }
  }
}

extension Float {
  fileprivate var clamped: Float { Swift.min(Swift.max(self, -1e6), 1e6) }
}
