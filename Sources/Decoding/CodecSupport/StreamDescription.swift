// The description of a stream that a plugin fills in `open`: format, tags and gains. Worker process only.

import CodecPlugin

/// A view of the host's `swiftlet_stream_info`, valid during `open` only.
///
/// ```swift
/// try description.setFormat(
///   "FLAC", rate: 44_100, channels: 2, bits: 16, totalFrames: 1_323_000, canSeek: true)
/// description.addText(.artist, artist)  // Two calls with the same field give two values.
/// description.setTrackNumberIfUnknown(number)
/// ```
public struct StreamDescription {
  /// A text field of the description.
  public enum TextField {
    /// Name of the format, such as `FLAC` or `MPEG-1 layer III`.
    case format
    /// Track title.
    case title
    /// Track artist.
    case artist
    /// Album title.
    case album
    /// Album artist.
    case albumArtist
    /// Genre.
    case genre
    /// Release date: a year, or ISO 8601.
    case date

    /// The tag's number in the C ABI; nil for `format`, which has one value only.
    var tag: Int? {
      switch self {
      case .format: nil
      case .title: Int(SWIFTLET_TAG_TITLE.rawValue)
      case .artist: Int(SWIFTLET_TAG_ARTIST.rawValue)
      case .album: Int(SWIFTLET_TAG_ALBUM.rawValue)
      case .albumArtist: Int(SWIFTLET_TAG_ALBUM_ARTIST.rawValue)
      case .genre: Int(SWIFTLET_TAG_GENRE.rawValue)
      case .date: Int(SWIFTLET_TAG_DATE.rawValue)
      }
    }

    /// Number of tags that may have several values.
    static let multipleCount = 6
  }

  /// The host's structure.
  public let raw: UnsafeMutablePointer<swiftlet_stream_info>
  /// Multiple values and chapters, which the structure has no fields for.
  let details = StreamDetails()

  /// Initialises all fields to "unknown".
  init(_ raw: UnsafeMutablePointer<swiftlet_stream_info>) {
    self.raw = raw
    raw.initialize(to: swiftlet_stream_info())
    raw.pointee.total_frames = .min
    raw.pointee.track_gain_db = Self.unknownGain
    raw.pointee.album_gain_db = Self.unknownGain
  }

  /// The ABI's value for "no gain".
  public static var unknownGain: Float { -1000 }

  /// Sets the format of the decoded samples.
  ///
  /// - Parameters:
  ///   - name: Name of the format.
  ///   - rate: Frames per second, 1000 to 768000.
  ///   - channels: Number of channels, 1 to 8.
  ///   - bits: Bits per sample in the source; 0 for a lossy codec.
  ///   - isFloat: Whether the source's samples are floating point.
  ///   - totalFrames: Exact number of frames that `decode` delivers; nil if it is not known exactly.
  ///   - canSeek: Whether `seek` works.
  /// - Throws: `CodecFailure.unsupported` if rate or channels are out of range.
  public func setFormat(
    _ name: Phrase, rate: UInt32, channels: UInt32, bits: UInt32 = 0, isFloat: Bool = false,
    totalFrames: Int64?, canSeek: Bool
  ) throws(CodecFailure) {
    try Self.check(rate: Int64(rate))
    guard channels >= 1, channels <= 8 else {
      throw CodecFailure(.unsupported, "\(channels) channels are not playable (1 to 8 are).")
    }
    raw.pointee.rate = rate
    raw.pointee.channels = channels
    raw.pointee.bits = bits
    raw.pointee.is_float = isFloat ? 1 : 0
    raw.pointee.total_frames = totalFrames ?? .min
    raw.pointee.can_seek = canSeek ? 1 : 0
    name.bytes.withUnsafeBufferPointer { setText(.format, $0) }
  }

  /// Checks a sample rate against the supported range. The minimum guards against damaged headers, which
  /// would stretch seconds of a file into hours.
  ///
  /// - Parameter rate: In Hz.
  /// - Throws: `CodecFailure.unsupported` if it is out of range.
  package static func check(rate: Int64) throws(CodecFailure) {
    guard rate >= 1000, rate <= 768_000 else {
      throw CodecFailure(.unsupported, "A rate of \(rate) Hz is not playable (1000 to 768000 are).")
    }
  }

  /// Replaces a text field. Values added later are ignored.
  public func setText(_ field: TextField, _ text: Bytes) {
    if let tag = field.tag { details.replace(tag) }
    write(field, text)
  }

  /// Starts a new tag of the file. Its values do not add to fields that an earlier tag has filled.
  public func beginTag() { details.beginSource() }

  /// Adds a value to a text field, unless an earlier tag has filled the field. Empty text is ignored.
  public func addText(_ field: TextField, _ text: Bytes) {
    guard let tag = field.tag else { return setTextIfEmpty(field, text) }
    let clean = cleaned(text)
    guard !clean.isEmpty, details.add(clean, to: tag) else { return }
    clean.withUnsafeBufferPointer { write(field, $0) }
  }

  /// Adds a chapter.
  ///
  /// - Parameters:
  ///   - start: Milliseconds from the first decoded frame.
  ///   - end: Milliseconds from the first decoded frame; nil if the file has none.
  ///   - title: UTF-8; may be empty.
  public func addChapter(start: Int64, end: Int64? = nil, title: Bytes) {
    details.add(StreamChapter(start: start, end: end, title: cleaned(title)))
  }

  /// Adds the start, the title, or both, of the chapter with a number. Later calls complete it; without a
  /// start it is not reported.
  func addChapter(number: Int, start: Int64?, title: Bytes) {
    details.add(StreamChapter(number: number, start: start, title: cleaned(title)))
  }

  /// Sanitises and cuts a text as `copyText` does for a field.
  private func cleaned(_ text: Bytes) -> [UInt8] {
    var field = [UInt8](repeating: 0, count: Int(SWIFTLET_TEXT_SIZE))
    field.withUnsafeMutableBytes { copyText(text, to: $0) }
    return Array(field.prefix { $0 != 0 })
  }

  private func write(_ field: TextField, _ text: Bytes) {
    switch field {
    case .format: withUnsafeMutableBytes(of: &raw.pointee.format) { copyText(text, to: $0) }
    case .title: withUnsafeMutableBytes(of: &raw.pointee.title) { copyText(text, to: $0) }
    case .artist: withUnsafeMutableBytes(of: &raw.pointee.artist) { copyText(text, to: $0) }
    case .album: withUnsafeMutableBytes(of: &raw.pointee.album) { copyText(text, to: $0) }
    case .albumArtist: withUnsafeMutableBytes(of: &raw.pointee.album_artist) { copyText(text, to: $0) }
    case .genre: withUnsafeMutableBytes(of: &raw.pointee.genre) { copyText(text, to: $0) }
    case .date: withUnsafeMutableBytes(of: &raw.pointee.date) { copyText(text, to: $0) }
    }
  }

  /// Writes a text field unless it has a value.
  public func setTextIfEmpty(_ field: TextField, _ text: Bytes) {
    if isEmpty(field) { setText(field, text) }
  }

  /// Writes a text field unless it has a value. A later `addText` of the same tag replaces the text.
  func setFallbackText(_ field: TextField, _ text: Bytes) {
    guard let tag = field.tag, isEmpty(field) else { return }
    write(field, text)
    if !isEmpty(field) { details.claim(tag) }
  }

  private func isEmpty(_ field: TextField) -> Bool {
    switch field {
    case .format: raw.pointee.format.0 == 0
    case .title: raw.pointee.title.0 == 0
    case .artist: raw.pointee.artist.0 == 0
    case .album: raw.pointee.album.0 == 0
    case .albumArtist: raw.pointee.album_artist.0 == 0
    case .genre: raw.pointee.genre.0 == 0
    case .date: raw.pointee.date.0 == 0
    }
  }

  /// Writes a text field unless it has a value. Text that is not valid UTF-8 is read as ISO 8859-1.
  public func setGuessedTextIfEmpty(_ field: TextField, _ text: Bytes) {
    guessed(text) { setTextIfEmpty(field, $0) }
  }

  /// Adds a value to a text field as `addText` does. Text that is not valid UTF-8 is read as ISO 8859-1.
  public func addGuessedText(_ field: TextField, _ text: Bytes) {
    guessed(text) { addText(field, $0) }
  }

  private func guessed(_ text: Bytes, _ use: (Bytes) -> Void) {
    if isUTF8(text) { use(text) } else { utf8(fromLatin1: text).withUnsafeBufferPointer(use) }
  }

  /// Parses a track number such as `3` or `3/12`, unless one is set. Malformed text is ignored.
  public func setTrackNumberIfUnknown(_ text: Bytes) {
    guard raw.pointee.track_number == 0, let number = decimalPrefix(text), number >= 1, number < 100_000
    else { return }
    raw.pointee.track_number = UInt32(number)
  }

  /// Parses a disc number such as `1` or `1/2`, unless one is set. Malformed text is ignored.
  public func setDiscNumberIfUnknown(_ text: Bytes) {
    guard raw.pointee.disc_number == 0, let number = decimalPrefix(text), number >= 1, number < 1000
    else { return }
    raw.pointee.disc_number = UInt32(number)
  }
}
