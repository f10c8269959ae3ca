// Pages and packets of Ogg files (RFC 3533). Pure.

/// The header of a page.
package struct OggPage: Equatable, Sendable {
  /// "OggS", the first bytes of every page.
  package static let capture: [UInt8] = [0x4F, 0x67, 0x67, 0x53]
  /// Bit of the header type (byte 5): the page continues a packet.
  package static let continuedBit: UInt8 = 1
  /// Bit of the header type: the page is the first of its logical stream.
  package static let firstBit: UInt8 = 2
  /// Size in bytes of a header without its segment table.
  package static let minHeader = 27
  /// Size in bytes of a header with the longest segment table.
  package static let maxHeader = 27 + 255
  /// Maximum size of a page in bytes.
  package static let maxSize = maxHeader + 255 * 255

  /// Whether the page begins with the rest of a packet.
  package let isContinued: Bool
  /// Whether it is the first page of its logical stream.
  package let isFirst: Bool
  /// Granule position: -1 if no packet ends on the page; 0 on pages with headers.
  package let position: Int64
  /// Serial number of the logical stream.
  package let serial: UInt32
  /// Sizes of the segments in bytes; one of less than 255 ends a packet.
  package let segments: [UInt8]

  /// Size of the header in bytes.
  package var headerSize: Int { Self.minHeader + segments.count }
  /// Size of the content in bytes.
  package let bodySize: Int
  /// Size of the page in bytes.
  package var size: Int64 { Int64(headerSize + bodySize) }

  /// Parses a header.
  ///
  /// - Parameters:
  ///   - bytes: The file, or a part of it.
  ///   - place: Index of the page's first byte, counted from the start of `bytes`.
  /// - Returns: Nil if the header is incomplete or invalid.
  package init?<Bytes: RandomAccessCollection>(_ bytes: Bytes, at place: Int = 0)
  where Bytes.Element == UInt8, Bytes.Index == Int {
    guard place >= 0, place <= bytes.count - Self.minHeader else { return nil }
    let start = bytes.startIndex + place
    for index in 0..<4 where bytes[start + index] != Self.capture[index] { return nil }
    let count = Int(bytes[start + 26])
    guard bytes[start + 4] == 0, bytes.count - place >= Self.minHeader + count else { return nil }
    isContinued = bytes[start + 5] & Self.continuedBit != 0
    isFirst = bytes[start + 5] & Self.firstBit != 0
    var number: UInt64 = 0
    for index in (6..<14).reversed() { number = number << 8 | UInt64(bytes[start + index]) }
    position = Int64(bitPattern: number)
    var serial: UInt32 = 0
    for index in (14..<18).reversed() { serial = serial << 8 | UInt32(bytes[start + index]) }
    self.serial = serial
    segments = Array(bytes[start + Self.minHeader..<start + Self.minHeader + count])
    bodySize = segments.reduce(0) { $0 + Int($1) }
  }

  /// Whether bytes can be the beginning of a header that is incomplete.
  package static func isPartial(_ bytes: some Collection<UInt8>) -> Bool {
    bytes.count < maxHeader && bytes.prefix(4).elementsEqual(capture.prefix(bytes.count))
  }
}

/// The packets of the first logical stream of a file, in order.
package struct OggPackets<Source: ByteSource> {
  /// The result of advancing to the next packet.
  package enum Step: Equatable, Sendable {
    case packet([UInt8])
    /// The packet is longer than the caller's limit.
    case tooLong
    case end
  }

  private let source: Source
  /// Offset of the next page.
  private var offset: Int64
  private var serial: UInt32?
  private var pages = 0
  /// Remaining segment sizes of the page; `body` is the offset of the next segment.
  private var segments: ArraySlice<UInt8> = []
  private var body: Int64 = 0
  private static var maxPages: Int { 4096 }

  /// Creates an iterator.
  ///
  /// - Parameters:
  ///   - source: The file.
  ///   - offset: Offset of the first page.
  package init(in source: Source, from offset: Int64 = 0) {
    self.source = source
    self.offset = offset
  }

  /// Reads the next packet.
  ///
  /// - Parameter limit: Maximum size in bytes.
  package mutating func next(atMost limit: Int) throws(Source.Failure) -> Step {
    var packet: [UInt8] = []
    while true {
      guard !segments.isEmpty else {
        guard try turn() else { return .end }
        continue
      }
      let last = segments.firstIndex { $0 < 255 }
      let mine = last.map { segments[...$0] } ?? segments
      segments = segments.dropFirst(mine.count)
      let size = mine.reduce(0) { $0 + Int($1) }
      guard packet.count + size <= limit else { return .tooLong }
      let bytes = try source.bytes(at: body, count: size)
      guard bytes.count == size else { return .end }
      packet += bytes
      body += Int64(size)
      if last != nil { return .packet(packet) }
    }
  }

  /// Advances to the next page of the stream. Returns false at the end.
  private mutating func turn() throws(Source.Failure) -> Bool {
    while pages < Self.maxPages {
      pages += 1
      guard let page = OggPage(try source.bytes(at: offset, count: OggPage.maxHeader)) else { return false }
      body = offset + Int64(page.headerSize)
      offset += page.size
      if serial == nil { serial = page.serial }
      guard page.serial == serial else { continue }
      segments = page.segments[...]
      return true
    }
    return false
  }
}
