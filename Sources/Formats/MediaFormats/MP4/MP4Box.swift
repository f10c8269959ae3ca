// Boxes of the ISO base media file format (ISO 14496-12, 4.2), on which MP4 is based. Pure.

/// A box: its kind and the range of its content in the file.
package struct MP4Box: Equatable, Sendable {
  /// The four characters of the kind, big-endian.
  package let kind: UInt32
  /// Offset of the first byte of the box, which is its header's.
  package let offset: Int64
  /// Offset of the content's first byte.
  package let start: Int64
  /// Offset of the first byte after the box.
  package let end: Int64

  /// Size of the content in bytes.
  package var count: Int64 { end - start }
}

/// The header of a box.
package struct MP4BoxHeader: Equatable, Sendable {
  /// The four characters of the kind, big-endian.
  package let kind: UInt32
  /// Size of the header in bytes.
  package let headerSize: Int64
  /// Size of the box in bytes, header included; nil if it extends to the end of its parent.
  package let size: Int64?

  /// Size of the longest header in bytes.
  package static let maxSize = 16

  /// The result of parsing a header.
  package enum Reading: Equatable, Sendable {
    case header(MP4BoxHeader)
    /// The bytes end within the header.
    case incomplete
    /// The header states an impossible size.
    case damaged
  }

  /// Parses the header at the beginning of bytes.
  package static func read(_ bytes: ArraySlice<UInt8>) -> Reading {
    guard let short = bytes.big(0), let kind = bytes.big(4) else { return .incomplete }
    var (size, headerSize): (Int64?, Int64) = (short, 8)
    if short == 1 {
      guard let long = bytes.big(8, 8) else { return .incomplete }
      guard long < 1 << 62 else { return .damaged }
      (size, headerSize) = (long, 16)
    } else if short == 0 {
      size = nil
    }
    if let size, size < headerSize { return .damaged }
    return .header(MP4BoxHeader(kind: UInt32(truncatingIfNeeded: kind), headerSize: headerSize, size: size))
  }
}

/// The boxes in a range of a file, in order. Sizes in the file are checked against the range.
package struct MP4Boxes<Source: ByteSource> {
  /// The result of advancing to the next box.
  package enum Step: Equatable, Sendable {
    case box(MP4Box)
    /// The header at an offset states an impossible size.
    case damaged(at: Int64)
    /// There are more boxes than `maxBoxes` before an offset.
    case tooMany(before: Int64)
    case end
  }

  private let source: Source
  private var offset: Int64
  private let end: Int64
  private var boxes = 0
  /// Maximum number of boxes, which bounds the work on a hostile file.
  package static var maxBoxes: Int { 1 << 14 }

  /// Creates an iterator over the boxes from `start` to `end`.
  package init(in source: Source, from start: Int64, to end: Int64) {
    self.source = source
    offset = start
    self.end = end
  }

  /// Advances to the next box. Its end is that of the range if the file is truncated.
  package mutating func next() throws(Source.Failure) -> Step {
    guard end - offset >= 8 else { return .end }
    guard boxes < Self.maxBoxes else { return .tooMany(before: offset) }
    boxes += 1
    let head = try source.bytes(at: offset, count: Int(min(Int64(MP4BoxHeader.maxSize), end - offset)))
    switch MP4BoxHeader.read(head[...]) {
    case .incomplete: return .end
    case .damaged: return .damaged(at: offset)
    case .header(let header):
      let size = header.size ?? end - offset
      let start = offset + header.headerSize
      guard start <= end else { return .damaged(at: offset) }
      let box = MP4Box(
        kind: header.kind, offset: offset, start: start, end: min(end - offset, size) + offset)
      offset += size
      return .box(box)
    }
  }
}

/// Boxes within the content of a box in memory. Damaged and incomplete ones end the search.
package enum MP4Content {
  /// The box at the beginning of bytes: its kind and content; nil if it is incomplete.
  package static func next(_ bytes: ArraySlice<UInt8>) -> (kind: UInt32, content: ArraySlice<UInt8>)? {
    guard case .header(let header) = MP4BoxHeader.read(bytes) else { return nil }
    let size = header.size ?? Int64(bytes.count)
    guard size <= Int64(bytes.count) else { return nil }
    return (header.kind, bytes.prefix(Int(size)).dropFirst(Int(header.headerSize)))
  }

  /// The content of all boxes of a kind.
  package static func all(_ name: StaticString, in bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
    var found: [ArraySlice<UInt8>] = []
    var rest = bytes
    let kind = UInt32(characters: name)
    while let box = next(rest) {
      if box.kind == kind { found.append(box.content) }
      rest = rest[box.content.endIndex...]
    }
    return found
  }

  /// The content of the first box of a kind.
  package static func first(_ name: StaticString, in bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    var rest = bytes
    let kind = UInt32(characters: name)
    while let box = next(rest) {
      if box.kind == kind { return box.content }
      rest = rest[box.content.endIndex...]
    }
    return nil
  }
}

/// Reads the big-endian fields of a box. Returns zeros past its end.
package struct MP4Fields {
  private var rest: ArraySlice<UInt8>

  package init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  /// Reads a number of up to 8 bytes; larger ones are clamped to `Int64.max`.
  package mutating func take(_ count: Int) -> Int64 {
    var value: UInt64 = 0
    for byte in rest.prefix(count) { value = value << 8 | UInt64(byte) }
    rest = rest.dropFirst(count)
    return Int64(clamping: value)
  }

  /// Reads the version and flags of a box.
  package mutating func takeVersion() -> (version: Int64, flags: Int64) {
    let word = take(4)
    return (word >> 24, word & 0xFF_FFFF)
  }
}
