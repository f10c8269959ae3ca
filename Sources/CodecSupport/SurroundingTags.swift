// The tags around a stream that has no place for them in itself: ID3v2 before it, APE and ID3v1 behind. Worker process only.

extension StreamDescription {
  /// Reads the ID3v2 tags at a file's beginning: the offset of the first byte behind them. Leaves the input anywhere.
  public func applyLeadingTags(_ input: MediaInput) throws(CodecFailure) -> Int64 {
    var start: Int64 = 0
    // Taggers that do not know one another leave several.
    for _ in 0..<16 {
      let header = try Self.bytes(ID3Tag.headerSize, of: input, at: start)
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
      try Self.bytes(128, of: input, at: end - 128).withUnsafeBufferPointer {
        guard hasMagic($0, "TAG") else { return }
        applyID3v1($0)
        end -= 128
      }
    }
    if end >= 32 {
      let footer = try Self.bytes(32, of: input, at: end - 32)
      if let tag = footer.withUnsafeBufferPointer({ APETag(footer: $0, endingAt: end) }) {
        tag.read(from: input, into: self)
        end = tag.start
      }
    }
    return end
  }

  /// Bytes of the file, fewer where it ends.
  private static func bytes(
    _ count: Int, of input: MediaInput, at offset: Int64
  ) throws(CodecFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard input.seek(to: offset) else { throw .read(at: offset) }
    let got = bytes.withUnsafeMutableBytes { input.readFully(into: $0.baseAddress!, count: count) }
    guard got >= 0 else { throw .read(at: offset) }
    bytes.removeLast(count - got)
    return bytes
  }
}
