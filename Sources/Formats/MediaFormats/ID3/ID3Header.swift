// The header of ID3v2 tags, versions 2.2 to 2.4 (id3.org). Pure.

/// The first ten bytes of an ID3v2 tag.
package struct ID3Header: Equatable, Sendable {
  /// Size of a header in bytes.
  package static let size = 10

  /// Version: 2, 3 or 4.
  package let major: UInt8
  let flags: UInt8
  /// Size in bytes of the frames, with extended header and padding.
  let content: Int64
  /// Size of the tag in bytes, with header and footer.
  package let tagSize: Int64

  /// Parses a header; nil if the bytes do not begin with one.
  package init?(_ bytes: some RandomAccessCollection<UInt8>) {
    let head = Array(bytes.prefix(Self.size))
    guard head.count == Self.size, head.has("ID3"), (2...4).contains(head[3]) else { return nil }
    for index in 6..<10 where head[index] >= 0x80 { return nil }
    major = head[3]
    flags = head[5]
    content = head.synchsafe(6) ?? 0
    tagSize = Int64(Self.size) + content + (major == 4 && flags & 0x10 != 0 ? 10 : 0)
  }

  var isUnsynchronised: Bool { flags & 0x80 != 0 }
  var hasExtendedHeader: Bool { flags & 0x40 != 0 }
}
