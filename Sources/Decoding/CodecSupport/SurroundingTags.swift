// Tags around a stream whose format has none: ID3v2 before it, APEv2 and ID3v1 after it. Worker process only.

extension StreamDescription {
  /// Reads the ID3v2 tags at the beginning of the file.
  ///
  /// - Parameter input: The media file; its position afterwards is undefined.
  /// - Returns: Offset in bytes of the first byte after the tags.
  /// - Throws: `CodecFailure.read` if the host failed.
  public func applyLeadingTags(_ input: MediaInput) throws(CodecFailure) -> Int64 {
    var start: Int64 = 0
    // Some files have several tags, written by different taggers.
    for _ in 0..<16 {
      let header = try input.bytes(at: start, count: ID3Tag.headerSize)
      guard let tag = header.withUnsafeBufferPointer({ ID3Tag(header: $0, at: start) }) else { break }
      tag.read(from: input, into: self)
      start += tag.byteCount
    }
    return start
  }

  /// Reads the ID3v1 tag at the end of the file, and the APEv2 tag before it or in its place. Skips them if the read
  /// would wait for the whole file.
  ///
  /// - Parameter input: The media file; its position afterwards is undefined.
  /// - Returns: Offset in bytes of the first byte of the tags, or the file's length; nil if the length is
  ///   unknown.
  /// - Throws: `CodecFailure.read` if the host failed.
  public func applyTrailingTags(_ input: MediaInput) throws(CodecFailure) -> Int64? {
    guard var end = input.length else { return nil }
    guard input.farReads != .wait else { return end }
    if end >= 128 {
      try input.bytes(at: end - 128, count: 128).withUnsafeBufferPointer {
        guard hasMagic($0, "TAG") else { return }
        applyID3v1($0)
        end -= 128
      }
    }
    if end >= 32 {
      let footer = try input.bytes(at: end - 32, count: 32)
      if let tag = footer.withUnsafeBufferPointer({ APETag(footer: $0, endingAt: end) }) {
        tag.read(from: input, into: self)
        end = tag.start
      }
    }
    return end
  }
}
