// APEv2 tags at the end of files (wiki.hydrogenaud.io, "APEv2 specification"). Reads item by item and skips what its
// caller does not ask for.

/// The footer of an APEv2 tag.
package struct APEFooter: Equatable, Sendable {
  /// Size of a footer in bytes.
  package static let size = 32
  private static let maxItems: Int64 = 1024

  /// Offset in the file of the tag's first item.
  package let start: Int64
  /// Offset in the file after the last item.
  let end: Int64
  let items: Int64

  /// Parses a footer.
  ///
  /// - Parameters:
  ///   - bytes: The last `size` bytes of the tag.
  ///   - end: Offset in the file after the footer.
  /// - Returns: Nil if the bytes are not a valid footer.
  package init?(_ bytes: some RandomAccessCollection<UInt8>, endingAt end: Int64) {
    let bytes = Array(bytes.prefix(Self.size))
    // The size includes the footer, but not the header.
    guard bytes.has("APETAGEX"), let size = bytes.little(12), let items = bytes.little(16),
      bytes.count == Self.size, size >= Int64(Self.size), size <= end, items <= Self.maxItems
    else { return nil }
    start = end - size
    self.end = end - Int64(Self.size)
    self.items = items
  }
}

/// The items of a tag, in order. Ends silently where the tag is damaged.
package struct APEItems<Source: ByteSource> {
  /// One item, before its value is read.
  package struct Item: Sendable {
    /// ASCII, in any case.
    package let key: [UInt8]
    /// Whether the value is text in UTF-8.
    package let isText: Bool
    /// Size of the value in bytes.
    package let size: Int64
  }

  private var reader: TagReader<Source>
  private var items: Int64
  /// Number of bytes of the current value that were not read.
  private var left: Int64 = 0
  private static var maxKey: Int { 255 }

  package init(_ footer: APEFooter, in source: Source) {
    reader = TagReader(source, from: footer.start, to: footer.end)
    items = footer.items
  }

  /// Advances to the next item. Returns nil at the end of the tag.
  package mutating func next() -> Item? {
    guard items > 0, reader.skip(left), let head = reader.take(8), let size = head.little(0) else {
      return nil
    }
    items -= 1
    left = 0
    var key: [UInt8] = []
    while let byte = reader.next(), byte != 0 {
      guard key.count < Self.maxKey else { return nil }
      key.append(byte)
    }
    left = size
    // Bits 1 and 2 of the flags hold the type; 0 is text.
    return Item(key: key, isText: head[4] & 6 == 0, size: size)
  }

  /// Reads the value of the current item.
  ///
  /// - Parameter limit: Maximum number of bytes; a longer value is cut.
  package mutating func value(atMost limit: Int) -> [UInt8]? {
    let count = Int(min(left, Int64(limit)))
    guard let bytes = reader.take(count) else { return nil }
    left -= Int64(count)
    return bytes
  }
}
