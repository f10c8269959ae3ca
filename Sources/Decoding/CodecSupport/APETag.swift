// Reads APEv2 tags, which mp3gain and other taggers append to MP3 files, into a stream's description. Worker process
// only.

import MediaFormats

/// An APEv2 tag at the end of a file, located by its footer.
///
/// ```swift
/// let footer = try input.bytes(at: end - 32, count: 32)
/// footer.withUnsafeBufferPointer {
///   APETag(footer: $0, endingAt: end)?.read(from: input, into: description)
/// }
/// ```
public struct APETag {
  private let footer: APEFooter

  /// Offset in the file of the tag's first item, in bytes.
  public var start: Int64 { footer.start }
  /// Maximum size of a value in bytes; longer ones are cut.
  private static var maxValue: Int { 1024 }

  /// Parses the 32-byte footer of a tag.
  ///
  /// - Parameters:
  ///   - footer: The last 32 bytes of the tag.
  ///   - end: Offset in the file of the first byte after the footer.
  /// - Returns: Nil if the bytes are not an APEv2 footer.
  public init?(footer: Bytes, endingAt end: Int64) {
    guard let footer = APEFooter(footer, endingAt: end) else { return nil }
    self.footer = footer
  }

  /// Reads the text items into `description`. Stops silently where the tag is damaged.
  ///
  /// - Parameters:
  ///   - input: The media file; its position afterwards is undefined.
  ///   - description: Receives texts, numbers and ReplayGain values that no earlier tag has set.
  public func read(from input: MediaInput, into description: StreamDescription) {
    description.beginTag()
    var items = APEItems(footer, in: input)
    while let item = items.next() {
      guard item.isText else { continue }
      guard let value = items.value(atMost: Self.maxValue) else { return }
      // Several values of one item are separated by NUL bytes.
      for text in value.split(separator: 0) {
        item.key.withUnsafeBufferPointer { key in
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
}
