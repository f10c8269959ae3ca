// Parser for Vorbis comments (Xiph "Ogg Vorbis I format specification: comment field"), which FLAC, Vorbis
// and Opus share. Worker process only.

extension StreamDescription {
  /// Applies one `KEY=value` comment. Unknown keys and text without `=` are ignored.
  ///
  /// A repeated text key adds a value; of repeated numbers and gains the first wins. `YEAR` counts only without
  /// a `DATE`, in any order.
  ///
  /// - Parameter comment: The comment without its length, not NUL-terminated.
  public func applyVorbisComment(_ comment: Bytes) {
    guard let equals = comment.prefix(64).firstIndex(of: 0x3D) else { return }
    let key = Bytes(rebasing: comment[..<equals])
    let value = Bytes(rebasing: comment[(equals + 1)...])
    if matches(key, "TITLE") {
      addText(.title, value)
    } else if matches(key, "ARTIST") {
      addText(.artist, value)
    } else if matches(key, "ALBUM") {
      addText(.album, value)
    } else if matches(key, "ALBUMARTIST") || matches(key, "ALBUM ARTIST") {
      addText(.albumArtist, value)
    } else if matches(key, "TRACKNUMBER") {
      setTrackNumberIfUnknown(value)
    } else if matches(key, "GENRE") {
      addText(.genre, value)
    } else if matches(key, "DATE") {
      addText(.date, value)
    } else if matches(key, "YEAR") {
      setFallbackText(.date, value)
    } else if matches(key, "DISCNUMBER") {
      setDiscNumberIfUnknown(value)
    } else if matches(key, "R128_TRACK_GAIN") {
      if let gain = decimalPrefix(value) { setR128Gain(.track, q7dot8: Int32(gain.clamped)) }
    } else if matches(key, "R128_ALBUM_GAIN") {
      if let gain = decimalPrefix(value) { setR128Gain(.album, q7dot8: Int32(gain.clamped)) }
    } else if !applyChapter(key, value) {
      _ = applyReplayGain(key: key, value: value)
    }
  }

  /// Parses `CHAPTER001=00:05:30.500` or `CHAPTER001NAME=Title` (Xiph, "Chapter Extension"). Returns false
  /// for another key.
  private func applyChapter(_ key: Bytes, _ value: Bytes) -> Bool {
    guard key.count > 7, matches(Bytes(rebasing: key[..<7]), "CHAPTER") else { return false }
    let digits = key[7...].prefix { $0 >= 0x30 && $0 <= 0x39 }
    guard (1...4).contains(digits.count) else { return false }
    let number = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
    let rest = Bytes(rebasing: key[digits.endIndex...])
    if rest.isEmpty {
      if let start = Self.milliseconds(value) {
        addChapter(number: number, start: start, title: Bytes(start: nil, count: 0))
      }
      return true
    }
    guard matches(rest, "NAME") else { return false }
    addChapter(number: number, start: nil, title: value)
    return true
  }

  /// Parses a time such as `01:02:03.250` to milliseconds; nil if it is malformed.
  private static func milliseconds(_ text: Bytes) -> Int64? {
    var (parts, index) = ([Int64](), 0)
    while parts.count < 3 {
      let digits = text[index...].prefix { $0 >= 0x30 && $0 <= 0x39 }
      guard (1...4).contains(digits.count) else { return nil }
      parts.append(digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) })
      index = digits.endIndex
      if parts.count < 3 {
        guard index < text.count, text[index] == 0x3A else { return nil }
        index += 1
      }
    }
    guard parts[1] < 60, parts[2] < 60 else { return nil }
    var (fraction, scale) = (Int64(0), Int64(100))
    if index < text.count, text[index] == 0x2E {
      for byte in text[(index + 1)...].prefix(3) {
        guard byte >= 0x30, byte <= 0x39 else { break }
        fraction += Int64(byte - 0x30) * scale
        scale /= 10
      }
    }
    return ((parts[0] * 60 + parts[1]) * 60 + parts[2]) * 1000 + fraction
  }
}

extension Float {
  fileprivate var clamped: Float { Swift.min(Swift.max(self, -1e6), 1e6) }
}
