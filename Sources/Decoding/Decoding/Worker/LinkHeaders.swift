// Where a station's stream began anew, and the headers that it had there. Pure; worker process.

/// The links of a station that its window still holds sound of, the first of a stream that has no others included.
struct LinkHeaders {
  /// Where one begins, and what is known of its headers.
  struct Link {
    let base: Int64
    /// The first bytes, as far as they were seen; where the extent is known, exactly the headers.
    fileprivate(set) var bytes: [UInt8] = []
    fileprivate(set) var extent = StreamHeaders.Extent.more
    /// Whether the headers are those of an earlier link, and do not stand in this one.
    let inherits: Bool

    init(base: Int64, inheriting headers: [UInt8]?) {
      self.base = base
      inherits = headers != nil
      if let headers { (bytes, extent) = (headers, .bytes(headers.count)) }
    }

    /// The first byte behind the headers, as far as these are known.
    var sound: Int64 { inherits ? base : base + Int64(bytes.count) }
  }

  /// Links, and bytes of all their headers, that are kept; the oldest go.
  static let maxCount = 64
  static let maxBytes = 1 << 20

  private var links: [Link] = []

  /// A link begins there, with headers of its own or with those of an earlier link.
  mutating func begin(at base: Int64, inheriting headers: [UInt8]? = nil) {
    guard !links.contains(where: { $0.base == base }) else { return }
    let place = links.firstIndex { $0.base > base } ?? links.count
    links.insert(Link(base: base, inheriting: headers), at: place)
    if links.count > Self.maxCount { links.removeFirst() }
  }

  /// Bytes were read. What continues the headers that are known of a link is kept.
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

  /// The link that a byte belongs to.
  func link(at offset: Int64) -> Link? { links.last { $0.base <= offset } }

  /// The headers of the last link before a byte of which they are known.
  func known(before offset: Int64) -> [UInt8]? {
    links.last { link in
      if case .bytes = link.extent { link.base < offset } else { false }
    }?.bytes
  }

  /// Where the next one begins, as far as that is known.
  func next(after offset: Int64) -> Int64? { links.first { $0.base > offset }?.base }

  /// Bytes before that one are gone.
  mutating func forget(before offset: Int64) {
    while links.count > 1, links[1].base <= offset { links.removeFirst() }
  }
}
