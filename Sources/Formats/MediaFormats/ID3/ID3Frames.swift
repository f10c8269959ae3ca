// The frames of ID3v2 tags, versions 2.2 to 2.4 (id3.org). Reads frame by frame and skips what its caller does not ask
// for, so memory use is bounded by the caller.

/// The frames of a tag, or of a chapter frame, in order. Ends silently where the tag is damaged.
///
/// ```swift
/// var frames = ID3Frames(header, at: 0, in: source)
/// while let frame = frames.next() {
///   if frame.id == UInt32(characters: "TIT2"), let content = frames.content(atMost: 4096) { … }
/// }
/// ```
package struct ID3Frames<Source: ByteSource> {
  private var reader: TagReader<Source>
  private let source: Source
  private let major: UInt8
  /// Whether all frames are unsynchronised one by one, as in version 2.4.
  private let areUnsynchronised: Bool
  /// Number of bytes of the current frame that were not read.
  private var left: Int64 = 0
  private var current: ID3Frame?
  private var frames = 0
  /// Maximum number of frames, which bounds the work on a hostile tag.
  private static var maxFrames: Int { 4096 }

  /// The frames of a tag.
  ///
  /// - Parameters:
  ///   - header: The tag's header.
  ///   - start: Offset of the header.
  ///   - source: The file.
  ///   - limit: Maximum number of bytes read from an unsynchronised tag, which cannot be skipped by seeking.
  package init(_ header: ID3Header, at start: Int64, in source: Source, limit: Int64 = 4 << 20) {
    // Versions before 2.4 apply unsynchronisation to the whole tag, with the frames' headers.
    self.init(
      in: source, from: start + Int64(ID3Header.size),
      to: start + Int64(ID3Header.size) + header.content, major: header.major,
      isTagUnsynchronised: header.isUnsynchronised && header.major < 4,
      areUnsynchronised: header.isUnsynchronised && header.major == 4, limit: limit)
    guard header.hasExtendedHeader else { return }
    if !skipExtendedHeader() { frames = Self.maxFrames }
  }

  private init(
    in source: Source, from start: Int64, to end: Int64, major: UInt8, isTagUnsynchronised: Bool = false,
    areUnsynchronised: Bool = false, limit: Int64 = .max
  ) {
    self.source = source
    self.major = major
    self.areUnsynchronised = areUnsynchronised
    reader = TagReader(source, from: start, to: end, unsynchronised: isTagUnsynchronised, limit: limit)
  }

  /// The frames within a chapter frame whose content is in memory.
  ///
  /// - Parameters:
  ///   - content: The chapter.
  ///   - fields: Size in bytes of the chapter's fields before its frames.
  ///   - major: Version of the tag.
  package init(ofChapter content: [UInt8], after fields: Int64, major: UInt8) where Source == MemorySource {
    self.init(in: MemorySource(content), from: fields, to: Int64(content.count), major: major)
  }

  private mutating func skipExtendedHeader() -> Bool {
    guard major > 2, let bytes = reader.take(4) else { return false }
    return reader.skip(major == 4 ? max(0, (bytes.synchsafe(0) ?? 0) - 4) : bytes.big(0) ?? 0)
  }

  /// Advances to the next frame. Returns nil at the padding and at the end of the tag.
  package mutating func next() -> ID3Frame? {
    current = nil
    guard frames < Self.maxFrames, reader.skip(left) else { return nil }
    frames += 1
    let nameSize = major == 2 ? 3 : 4
    guard let head = reader.take(major == 2 ? 6 : 10), head[0] != 0, let id = head.big(0, nameSize) else {
      return nil
    }
    let size = major == 4 ? sizeOfVersion4(head) : head.big(Int64(nameSize), nameSize) ?? 0
    let frame = ID3Frame(
      id: UInt32(truncatingIfNeeded: id), size: size, major: major, format: major == 2 ? 0 : head[9],
      isUnsynchronised: areUnsynchronised)
    left = size
    current = frame
    return frame
  }

  /// The size of a frame in version 2.4. It is synchsafe, but old versions of iTunes wrote a plain number: the number
  /// is plain if the next frame follows only then.
  private func sizeOfVersion4(_ head: [UInt8]) -> Int64 {
    guard let safe = head.synchsafe(4), let plain = head.big(4), safe != plain else {
      return head.synchsafe(4) ?? 0
    }
    for index in 4..<8 where head[index] >= 0x80 { return plain }
    return isFrame(after: safe) || !isFrame(after: plain) ? safe : plain
  }

  /// Whether a frame, padding or the end of the tag is at a distance from the next byte.
  private func isFrame(after distance: Int64) -> Bool {
    let rest = reader.end - reader.offset - distance
    guard rest > 0 else { return rest == 0 }
    let head = reader.peek(distance, 10)
    if head.allSatisfy({ $0 == 0 }) { return true }
    guard head.count == 10, let size = head.synchsafe(4), size <= rest - 10 else { return false }
    for byte in head[..<4] where !(byte >= 0x41 && byte <= 0x5A) && !(byte >= 0x30 && byte <= 0x39) {
      return false
    }
    return true
  }

  /// Reads the content of the current frame, in its original form: without unsynchronisation, and decompressed.
  ///
  /// - Parameter limit: Maximum size of the result in bytes; a longer content is cut, except of a compressed frame.
  /// - Returns: Nil if the frame is encrypted or damaged, or was read before.
  package mutating func content(atMost limit: Int) -> [UInt8]? {
    guard let frame = current, !frame.isEncrypted, left == frame.size else { return nil }
    let count = Int(min(left, Int64(limit) + Int64(frame.prefix)))
    guard count > 0, var bytes = reader.take(count) else { return nil }
    left -= Int64(count)
    if frame.isUnsynchronised { bytes = synchronised(bytes) }
    guard bytes.count > frame.prefix else { return nil }
    bytes.removeFirst(frame.prefix)
    return frame.isCompressed ? inflated(bytes, atMost: limit) : bytes
  }

  /// The frames within the current frame, which is a chapter. Its own content is skipped.
  ///
  /// - Parameter fields: Size in bytes of the chapter's fields before its frames.
  /// - Returns: Nil if the frames are not stored as they are in the file.
  package func frames(after fields: Int64) -> ID3Frames<Source>? {
    guard let frame = current, frame.isPlain, !reader.isUnsynchronised, fields <= frame.size else {
      return nil
    }
    let start = reader.offset - (frame.size - left)
    return ID3Frames(in: source, from: start + fields, to: min(start + frame.size, reader.end), major: major)
  }

  /// The first bytes of the current frame, without reading them.
  package func peek(_ count: Int) -> [UInt8] {
    guard let frame = current, frame.isPlain, !reader.isUnsynchronised, left == frame.size else { return [] }
    return reader.peek(0, min(count, Int(clamping: frame.size)))
  }
}

/// Removes the zero byte after each 0xFF.
private func synchronised(_ bytes: [UInt8]) -> [UInt8] {
  var kept: [UInt8] = []
  kept.reserveCapacity(bytes.count)
  var previous: UInt8 = 0
  for byte in bytes {
    if previous != 0xFF || byte != 0 { kept.append(byte) }
    previous = byte
  }
  return kept
}
