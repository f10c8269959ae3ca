// Parser for APEv2 tags (Monkey's Audio tag specification), which mp3gain and other taggers append to MP3
// files.
// Reads item by item and skips pictures. Worker process only.

/// An APEv2 tag at the end of a file, located by its footer.
///
/// ```swift
/// let footer = try input.bytes(at: end - 32, count: 32)
/// footer.withUnsafeBufferPointer {
///   APETag(footer: $0, endingAt: end)?.read(from: input, into: description)
/// }
/// ```
public struct APETag {
  /// Offset in the file of the tag's first item, in bytes.
  public let start: Int64
  private let end: Int64
  private let items: Int

  /// Parses the 32-byte footer of a tag.
  ///
  /// - Parameters:
  ///   - footer: The last 32 bytes of the tag.
  ///   - end: Offset in the file of the first byte after the footer.
  /// - Returns: Nil if the bytes are not an APEv2 footer.
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

  /// Reads the text items into `description`. Stops silently where the tag is damaged.
  ///
  /// - Parameters:
  ///   - input: The media file; its position afterwards is undefined.
  ///   - description: Receives texts, numbers and ReplayGain values that no earlier tag has set.
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
      // Bits 1 and 2 of the flags hold the item's type; 0 is text.
      let kept = flags & 6 == 0 ? min(size, 1024) : 0
      var value: [UInt8] = []
      for _ in 0..<kept {
        guard let byte = reader.next() else { return }
        value.append(byte)
      }
      guard reader.skip(size - kept) else { return }
      // Several values of one item are separated by NUL bytes.
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
