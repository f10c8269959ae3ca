// The headers of a station's chained links, kept so that a decoder can start in the middle of a link. Pure;
// worker process only.

/// The links of a station that are at least partly in its window. A stream without chaining is one link.
struct LinkHeaders {
  /// The offset of a link, and the known part of its headers.
  struct Link {
    let base: Int64
    /// The first bytes of the link; exactly the headers once their extent is known.
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var extent = StreamHeaders.Extent.more
    /// Whether the headers are copied from an earlier link, because the stream does not repeat them.
    let inherits: Bool

    init(base: Int64, inheriting headers: [UInt8]?) {
      self.base = base
      inherits = headers != nil
      if let headers { (bytes, extent) = (headers, .bytes(headers.count)) }
    }

    /// Offset of the first byte after the known headers.
    var sound: Int64 { inherits ? base : base + Int64(bytes.count) }
  }

  /// Maximum number of links, and of bytes of all their headers; the oldest links are evicted.
  static let maxCount = 64
  static let maxBytes = 1 << 20

  private var links: [Link] = []

  /// Adds a link.
  ///
  /// - Parameters:
  ///   - base: Offset of its first byte.
  ///   - headers: The headers of an earlier link; nil if the link begins with its own.
  mutating func begin(at base: Int64, inheriting headers: [UInt8]? = nil) {
    guard !links.contains(where: { $0.base == base }) else { return }
    let place = links.firstIndex { $0.base > base } ?? links.count
    links.insert(Link(base: base, inheriting: headers), at: place)
    if links.count > Self.maxCount { links.removeFirst() }
  }

  /// Processes bytes when they are read, and keeps those that extend the headers of a link.
  mutating func take(_ piece: UnsafeRawBufferPointer, at offset: Int64) {
    guard let place = links.lastIndex(where: { $0.base < offset + Int64(piece.count) }) else { return }
    guard links[place].extent == .more else { return }
    let seen = links[place].base + Int64(links[place].bytes.count)
    guard seen >= offset, seen < offset + Int64(piece.count) else { return }
    let room = StreamHeaders.maxLength + 65_536 - links[place].bytes.count
    links[place].bytes += UnsafeRawBufferPointer(rebasing: piece[Int(seen - offset)...]).prefix(max(0, room))
    let extent = links[place].bytes.withUnsafeBytes { StreamHeaders.extent(of: $0) }
    switch extent {
    case .bytes(let count):
      links[place].bytes.removeLast(links[place].bytes.count - count)
    case .more where room > 0: return
    case .more, .unknown: links[place].bytes = []
    }
    links[place].extent = extent == .more ? .unknown : extent
    while links.count > 1, links.reduce(0, { $0 + $1.bytes.count }) > Self.maxBytes { links.removeFirst() }
  }

  /// The link that contains a byte.
  func link(at offset: Int64) -> Link? { links.last { $0.base <= offset } }

  /// The headers of the last link that begins before a byte and whose headers are known.
  func known(before offset: Int64) -> [UInt8]? {
    links.last { link in
      if case .bytes = link.extent { link.base < offset } else { false }
    }?.bytes
  }

  /// The offset of the next known link.
  func next(after offset: Int64) -> Int64? { links.first { $0.base > offset }?.base }

  /// Evicts the links that end before a byte.
  mutating func forget(before offset: Int64) {
    while links.count > 1, links[1].base <= offset { links.removeFirst() }
  }
}
