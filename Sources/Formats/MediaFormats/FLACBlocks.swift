// The metadata blocks of FLAC (RFC 9639, section 8), and the comments that FLAC, Vorbis and Opus share.

/// The metadata blocks at the beginning of a FLAC file, in order.
package struct FLACBlocks<Source: ByteSource> {
  /// A block: its kind and the range of its content in the file.
  package struct Block: Equatable, Sendable {
    /// The kind; nil for a reserved one.
    package let kind: FLACBlockKind?
    /// Offset of the content.
    package let start: Int64
    /// Size of the content in bytes.
    package let size: Int64
  }

  private let source: Source
  private var offset: Int64
  private var isOver = false
  private var blocks = 0
  private static var maxBlocks: Int { 1024 }

  /// Creates an iterator.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - offset: Offset of the first block, which follows the marker "fLaC".
  package init(in source: Source, from offset: Int64) {
    self.source = source
    self.offset = offset
  }

  /// The next block; nil after the last one, and at the end of the file.
  package mutating func next() throws(Source.Failure) -> Block? {
    guard !isOver, blocks < Self.maxBlocks else { return nil }
    let head = try source.bytes(at: offset, count: 4)
    guard head.count == 4, let size = head.big(1, 3) else { return nil }
    blocks += 1
    isOver = head[0] & 0x80 != 0
    defer { offset += 4 + size }
    return Block(kind: FLACBlockKind(rawValue: head[0] & 0x7F), start: offset + 4, size: size)
  }
}

/// The kinds of metadata blocks that are read.
package enum FLACBlockKind: UInt8, Sendable {
  case streamInfo = 0
  case comments = 4
  case cueSheet = 5
  case picture = 6

  /// The sample rate in the content of a STREAMINFO block; nil if it is cut.
  package static func rate(streamInfo bytes: some RandomAccessCollection<UInt8>) -> Int? {
    Array(bytes.prefix(18)).big(10, 3).map { Int($0 >> 4) }
  }
}

/// Vorbis comments (Xiph, "Ogg Vorbis I format specification: comment field and header specification"): a vendor string,
/// a count, and that many strings `KEY=value`, each preceded by its size.
package struct VorbisComments: Sequence, IteratorProtocol {
  private var rest: ArraySlice<UInt8>
  private var left: Int64

  /// Opens the comments; nil if the bytes do not begin with them.
  package init?(_ bytes: ArraySlice<UInt8>) {
    rest = bytes
    left = 0
    guard take() != nil, let count = bytes.isEmpty ? nil : rest.little(0) else { return nil }
    rest = rest.dropFirst(4)
    left = count
  }

  /// The next comment; nil at the end, and where the comments are cut.
  package mutating func next() -> ArraySlice<UInt8>? {
    guard left > 0 else { return nil }
    left -= 1
    return take()
  }

  private mutating func take() -> ArraySlice<UInt8>? {
    guard let size = rest.little(0), size <= Int64(rest.count) - 4 else {
      left = 0
      return nil
    }
    let text = rest.dropFirst(4).prefix(Int(size))
    rest = rest.dropFirst(4 + Int(size))
    return text
  }

  /// The value of a comment, if it has a key.
  ///
  /// - Parameters:
  ///   - key: In upper case, without `=`.
  ///   - comment: `KEY=value`, with the key in any case.
  package static func value(of key: StaticString, in comment: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let count = key.utf8CodeUnitCount
    guard comment.count > count, comment[comment.startIndex + count] == 0x3D else { return nil }
    for index in 0..<count {
      let byte = comment[comment.startIndex + index]
      guard (byte >= 0x61 && byte <= 0x7A ? byte - 0x20 : byte) == key.utf8Start[index] else { return nil }
    }
    return comment.dropFirst(count + 1)
  }
}
