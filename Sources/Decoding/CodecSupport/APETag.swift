// APEv2 tags (the Monkey's Audio tag specification), which mp3gain and others put behind MP3. Read in
// place, pictures skipped. Worker process only.

/// An APEv2 tag at a file's end.
public struct APETag {
  /// The file offset of its first item.
  public let start: Int64
  private let end: Int64
  private let items: Int

  /// The tag whose 32-byte footer ends at file offset `end`; nil if the bytes are none.
  public init?(footer: Bytes, endingAt end: Int64) {
    guard footer.count == 32, hasMagic(footer, "APETAGEX") else { return nil }
    let size = Self.little32(footer, 12)
    let count = Self.little32(footer, 16)
    // The size counts the footer but no header.
    guard size >= 32, Int64(size) <= end, count <= 1024 else { return nil }
    start = end - Int64(size)
    self.end = end - 32
    items = Int(count)
  }

  /// Reads the items into `description`; where the tag is damaged, reading stops without an error.
  public func read(from input: MediaInput, into description: StreamDescription) {
    description.beginTag()
    var reader = TagBytes(input, from: start, to: end, unsynchronised: false)
    for _ in 0..<items {
      guard let size = reader.littleEndian32(), let flags = reader.littleEndian32() else { return }
      var key: [UInt8] = []
      while let byte = reader.next(), byte != 0 {
        guard key.count < 255 else { return }
        key.append(byte)
      }
      // Bits 1 and 2 are 0 for text.
      let kept = flags & 6 == 0 ? min(size, 1024) : 0
      var value: [UInt8] = []
      for _ in 0..<kept {
        guard let byte = reader.next() else { return }
        value.append(byte)
      }
      guard reader.skip(size - kept) else { return }
      // A list is separated by zeros.
      for text in value.split(separator: 0) {
        key.withUnsafeBufferPointer { key in
          text.withUnsafeBufferPointer { apply(key, $0, to: description) }
        }
      }
    }
  }

  private func apply(_ key: Bytes, _ value: Bytes, to description: StreamDescription) {
    if matches(key, "TITLE") {
      description.addText(.title, value)
    } else if matches(key, "ARTIST") {
      description.addText(.artist, value)
    } else if matches(key, "ALBUM") {
      description.addText(.album, value)
    } else if matches(key, "ALBUM ARTIST") {
      description.addText(.albumArtist, value)
    } else if matches(key, "TRACK") {
      description.setTrackNumberIfUnknown(value)
    } else if matches(key, "GENRE") {
      description.addText(.genre, value)
    } else if matches(key, "YEAR") {
      description.addText(.date, value)
    } else if matches(key, "DISC") {
      description.setDiscNumberIfUnknown(value)
    } else {
      _ = description.applyReplayGain(key: key, value: value)
    }
  }

  private static func little32(_ bytes: Bytes, _ offset: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
  }
}
