// The stream description that a plugin fills while it opens a file: format, tags and gains. Worker only.

import CodecPlugin

/// A view of the host's `swiftlet_stream_info`, alive during `open`.
public struct StreamDescription {
  /// A text field of the description.
  public enum TextField {
    /// What the stream is called in a sentence.
    case format
    /// The track's title.
    case title
    /// Who performs the track.
    case artist
    /// The album's name.
    case album
    /// Whom the album is filed under.
    case albumArtist
    /// The kind of music.
    case genre
    /// When it was released.
    case date

    /// The tag's number in the plugin interface; nil for a field with one text only.
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

    /// Tags that may have several values.
    static let multipleCount = 6
  }

  /// The host's structure.
  public let raw: UnsafeMutablePointer<swiftlet_stream_info>
  /// What the structure has no room for.
  let details = StreamDetails()

  /// Sets everything to "unknown".
  init(_ raw: UnsafeMutablePointer<swiftlet_stream_info>) {
    self.raw = raw
    raw.initialize(to: swiftlet_stream_info())
    raw.pointee.total_frames = .min
    raw.pointee.track_gain_db = Self.unknownGain
    raw.pointee.album_gain_db = Self.unknownGain
  }

  /// The ABI's "no such gain in the file".
  public static var unknownGain: Float { -1000 }

  /// Describes the samples. `bits` is 0 for a lossy codec, `totalFrames` nil when not known exactly.
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

  /// Throws `unsupported` for a rate, in Hz, that is not played. Below the lowest, some seconds of a file would be stretched
  /// into hours.
  package static func check(rate: Int64) throws(CodecFailure) {
    guard rate >= 1000, rate <= 768_000 else {
      throw CodecFailure(.unsupported, "A rate of \(rate) Hz is not playable (1000 to 768000 are).")
    }
  }

  /// Replaces a text field. Later values do not join it.
  public func setText(_ field: TextField, _ text: Bytes) {
    if let tag = field.tag { details.replace(tag) }
    write(field, text)
  }

  /// Another tag of the file begins: values that it has of a field do not join those of an earlier tag.
  public func beginTag() { details.beginSource() }

  /// Adds a value to a text field, unless an earlier tag of the file filled it. An empty text is none.
  public func addText(_ field: TextField, _ text: Bytes) {
    guard let tag = field.tag else { return setTextIfEmpty(field, text) }
    let clean = cleaned(text)
    guard !clean.isEmpty, details.add(clean, to: tag) else { return }
    clean.withUnsafeBufferPointer { write(field, $0) }
  }

  /// Adds a chapter. Times are milliseconds from the stream's first frame; a chapter without a start is passed over.
  public func addChapter(start: Int64, end: Int64? = nil, title: Bytes) {
    details.add(StreamChapter(start: start, end: end, title: cleaned(title)))
  }

  /// Adds what a tag says of the chapter of a number: its start, its title, or both.
  func addChapter(number: Int, start: Int64?, title: Bytes) {
    details.add(StreamChapter(number: number, start: start, title: cleaned(title)))
  }

  /// A text as a field holds it.
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

  /// Writes a text field unless an earlier tag did.
  public func setTextIfEmpty(_ field: TextField, _ text: Bytes) {
    let isEmpty =
      switch field {
      case .format: raw.pointee.format.0 == 0
      case .title: raw.pointee.title.0 == 0
      case .artist: raw.pointee.artist.0 == 0
      case .album: raw.pointee.album.0 == 0
      case .albumArtist: raw.pointee.album_artist.0 == 0
      case .genre: raw.pointee.genre.0 == 0
      case .date: raw.pointee.date.0 == 0
      }
    if isEmpty { setText(field, text) }
  }

  /// As `setTextIfEmpty`, for text whose encoding the file does not name: UTF-8 if it is, else ISO 8859-1.
  public func setGuessedTextIfEmpty(_ field: TextField, _ text: Bytes) {
    guessed(text) { setTextIfEmpty(field, $0) }
  }

  /// As `addText`, for text whose encoding the file does not name: UTF-8 if it is, else ISO 8859-1.
  public func addGuessedText(_ field: TextField, _ text: Bytes) {
    guessed(text) { addText(field, $0) }
  }

  private func guessed(_ text: Bytes, _ use: (Bytes) -> Void) {
    if isUTF8(text) { use(text) } else { utf8(fromLatin1: text).withUnsafeBufferPointer(use) }
  }

  /// Reads a track number such as `3` or `3/12`; nonsense is ignored.
  public func setTrackNumberIfUnknown(_ text: Bytes) {
    guard raw.pointee.track_number == 0, let number = decimalPrefix(text), number >= 1, number < 100_000
    else { return }
    raw.pointee.track_number = UInt32(number)
  }

  /// Reads a disc's number such as `1` or `1/2`; nonsense is ignored.
  public func setDiscNumberIfUnknown(_ text: Bytes) {
    guard raw.pointee.disc_number == 0, let number = decimalPrefix(text), number >= 1, number < 1000
    else { return }
    raw.pointee.disc_number = UInt32(number)
  }
}
