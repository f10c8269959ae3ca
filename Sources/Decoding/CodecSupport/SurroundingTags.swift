// The tags around a stream that has no place for them in itself: ID3v2 before it, APE and ID3v1 behind. Worker process only.

extension StreamDescription {
  /// Reads the ID3v2 tags at a file's beginning: the offset of the first byte behind them. Leaves the input anywhere.
  public func applyLeadingTags(_ input: MediaInput) throws(CodecFailure) -> Int64 {
    var start: Int64 = 0
    // Taggers that do not know one another leave several.
    for _ in 0..<16 {
      let header = try input.bytes(at: start, count: ID3Tag.headerSize)
      guard let tag = header.withUnsafeBufferPointer({ ID3Tag(header: $0, at: start) }) else { break }
      tag.read(from: input, into: self)
      start += tag.byteCount
    }
    return start
  }

  /// Reads the ID3v1 tag at a file's end, and the APE tag before it or there: the offset of the first byte that is
  /// a tag's, or the file's length; nil if it has none. Leaves the input anywhere.
  public func applyTrailingTags(_ input: MediaInput) throws(CodecFailure) -> Int64? {
    guard var end = input.length else { return nil }
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
