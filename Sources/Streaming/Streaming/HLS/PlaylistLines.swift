// Parser for HLS playlists (RFC 8216, section 4). Pure; fetcher process, in its sandbox. The input is
// untrusted.

/// The state of the line-by-line parser.
struct PlaylistLines {
  private let text: [UInt8]
  private var list = SegmentList()
  private var variants: [Variant] = []
  private var groups: [Rendition] = []
  private var duration: Int64?
  private var title = 0..<0
  private var bytes: (count: Int64, offset: Int64?)?
  private var variant: (Variant, group: [UInt8])?
  private var renditionOf: [(index: Int, group: [UInt8])] = []
  private var next = Segment(part: Part(reference: 0..<0), duration: 0, title: 0..<0)
  private var mark = Marks()

  /// The kinds of playlist for which a tag was found.
  private struct Marks {
    var isSegments = false
    var isVariants = false
  }

  /// An audio rendition of a variant with video.
  private struct Rendition {
    let group: [UInt8]
    let reference: [UInt8]
  }

  /// Parses a playlist.
  ///
  /// - Parameter text: At most `Playlist.maxLength` bytes.
  /// - Throws: `FetchFailure` if it is not a valid playlist.
  static func read(_ text: [UInt8]) throws(FetchFailure) -> Playlist {
    var lines = PlaylistLines(text)
    return try lines.read()
  }

  private init(_ text: [UInt8]) { self.text = text }

  private mutating func read() throws(FetchFailure) -> Playlist {
    let begin = text.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    guard text[begin...].starts(with: "#EXTM3U".utf8) else {
      throw FetchFailure(sentence: "The playlist (HLS) does not begin with #EXTM3U.")
    }
    var index = begin
    while index < text.count {
      let end = text[index...].firstIndex { $0 == 0x0A || $0 == 0x0D } ?? text.count
      try take(Self.trimmed(text[index..<end]))
      index = end + 1
    }
    if mark.isVariants {
      guard !mark.isSegments else {
        throw FetchFailure(sentence: "The playlist (HLS) names qualities and segments in one.")
      }
      return .variants(withSounds())
    }
    guard mark.isSegments else {
      throw FetchFailure(sentence: "The playlist (HLS) names neither qualities nor segments.")
    }
    list.text = text
    let longest = list.segments.reduce(0) { max($0, $1.duration) }
    if list.target < longest { setTarget(longest) }
    return .segments(list)
  }

  /// Replaces variants that have a separate audio rendition by that rendition.
  private func withSounds() -> [Variant] {
    var result = variants
    for (index, group) in renditionOf {
      guard let sound = groups.first(where: { $0.group == group }) else { continue }
      result[index].reference = sound.reference
      result[index].hasPicture = false
    }
    return result
  }

  private mutating func take(_ line: ArraySlice<UInt8>) throws(FetchFailure) {
    guard let first = line.first else { return }
    guard first == 0x23 else { return try takeReference(line) }
    guard line.starts(with: "#EXT".utf8) else { return }
    let colon = line.firstIndex(of: 0x3A) ?? line.endIndex
    try take(tag: line[..<colon], line[min(colon + 1, line.endIndex)...])
  }

  private mutating func take(tag: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) throws(FetchFailure) {
    if Self.isSame(tag, "#EXTINF") {
      let comma = value.firstIndex(of: 0x2C) ?? value.endIndex
      mark.isSegments = true
      duration = min(Self.milliseconds(value[..<comma]) ?? 0, 3_600_000)
      let rest = Self.trimmed(value[min(comma + 1, value.endIndex)...])
      title = rest.startIndex..<rest.endIndex
    } else if Self.isSame(tag, "#EXT-X-TARGETDURATION") {
      mark.isSegments = true
      setTarget(Self.milliseconds(value) ?? 0)
    } else if Self.isSame(tag, "#EXT-X-MEDIA-SEQUENCE") {
      mark.isSegments = true
      // Limited to stay clear of overflow.
      list.first = min(Self.number(value) ?? 0, 1 << 60)
    } else if Self.isSame(tag, "#EXT-X-DISCONTINUITY") {
      next.isDiscontinuous = true
    } else if Self.isSame(tag, "#EXT-X-GAP") {
      next.isGap = true
    } else if Self.isSame(tag, "#EXT-X-ENDLIST") {
      mark.isSegments = true
      list.isEnded = true
    } else if Self.isSame(tag, "#EXT-X-BYTERANGE") {
      bytes = Self.range(value)
    } else {
      try takeAttributes(tag, PlaylistAttributes(value))
    }
  }

  private mutating func takeAttributes(
    _ tag: ArraySlice<UInt8>, _ attributes: PlaylistAttributes
  ) throws(FetchFailure) {
    if Self.isSame(tag, "#EXT-X-KEY") {
      let method = attributes["METHOD"] ?? []
      next.isProtected = !method.elementsEqual("NONE".utf8)
      if next.isProtected { list.protection = Array(method.prefix(32)) }
    } else if Self.isSame(tag, "#EXT-X-MAP"), let reference = attributes["URI"] {
      var part = Part(reference: reference.startIndex..<reference.endIndex)
      if let range = attributes["BYTERANGE"].flatMap({ Self.range($0) }) {
        part.bytes = Part.Bytes(offset: range.offset ?? 0, count: range.count)
      }
      if list.maps.last != part { list.maps.append(part) }
      next.map = list.maps.count - 1
    } else if Self.isSame(tag, "#EXT-X-STREAM-INF") {
      mark.isVariants = true
      let found = Variant(
        reference: [], bandwidth: attributes["BANDWIDTH"].flatMap { Self.number($0) } ?? 0,
        codecs: Array(attributes["CODECS"] ?? []), hasPicture: attributes["RESOLUTION"] != nil)
      variant = (found, Array(attributes["AUDIO"] ?? []))
    } else if Self.isSame(tag, "#EXT-X-MEDIA"), attributes["TYPE"]?.elementsEqual("AUDIO".utf8) == true {
      guard let reference = attributes["URI"], let group = attributes["GROUP-ID"],
        groups.count < Playlist.maxVariants
      else { return }
      let found = Rendition(group: Array(group), reference: Array(reference))
      if attributes["DEFAULT"]?.elementsEqual("YES".utf8) == true {
        groups.insert(found, at: 0)
      } else {
        groups.append(found)
      }
    }
  }

  private mutating func takeReference(_ line: ArraySlice<UInt8>) throws(FetchFailure) {
    if let (named, group) = variant {
      variant = nil
      var found = named
      guard variants.count < Playlist.maxVariants else { return }
      found.reference = Array(line)
      if !group.isEmpty { renditionOf.append((variants.count, group)) }
      variants.append(found)
    } else if let length = duration {
      guard list.segments.count < Playlist.maxSegments else {
        throw FetchFailure(sentence: "The playlist (HLS) names more than \(Playlist.maxSegments) segments.")
      }
      next.part = Part(reference: line.startIndex..<line.endIndex, bytes: part(of: line))
      (next.duration, next.title) = (length, title)
      list.segments.append(next)
      (next.isDiscontinuous, next.isGap) = (false, false)
      (duration, title, bytes) = (nil, 0..<0, nil)
    }
  }

  /// The byte range of a segment. Without an offset it continues the previous segment's range of the same
  /// resource.
  private func part(of line: ArraySlice<UInt8>) -> Part.Bytes? {
    guard let bytes else { return nil }
    if let offset = bytes.offset { return Part.Bytes(offset: offset, count: bytes.count) }
    guard let last = list.segments.last?.part, let before = last.bytes,
      text[last.reference].elementsEqual(line)
    else { return Part.Bytes(offset: 0, count: bytes.count) }
    return Part.Bytes(offset: min(before.offset + before.count, SpoolLayout.maxLength), count: bytes.count)
  }

  private mutating func setTarget(_ milliseconds: Int64) {
    list.target = min(max(milliseconds, SegmentList.targets.lowerBound), SegmentList.targets.upperBound)
  }
}

extension PlaylistLines {
  static func isSame(_ bytes: ArraySlice<UInt8>, _ word: StaticString) -> Bool {
    bytes.elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
  }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var bytes = bytes
    while let last = bytes.last, last <= 0x20 { bytes.removeLast() }
    while let first = bytes.first, first <= 0x20 { bytes.removeFirst() }
    return bytes
  }

  static func number(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let bytes = trimmed(bytes)
    guard !bytes.isEmpty, bytes.count <= 18 else { return nil }
    var number: Int64 = 0
    for byte in bytes {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      number = number * 10 + Int64(byte - 0x30)
    }
    return number
  }

  /// Parses seconds, with or without decimals, to milliseconds.
  static func milliseconds(_ bytes: ArraySlice<UInt8>) -> Int64? {
    let bytes = trimmed(bytes)
    let point = bytes.firstIndex(of: 0x2E) ?? bytes.endIndex
    guard let whole = number(bytes[..<point]), whole < 1 << 40 else { return nil }
    var decimals: Int64 = 0
    var scale: Int64 = 100
    for byte in bytes[min(point + 1, bytes.endIndex)...].prefix(3) {
      guard byte >= 0x30, byte <= 0x39 else { return nil }
      decimals += Int64(byte - 0x30) * scale
      scale /= 10
    }
    return whole * 1000 + decimals
  }

  /// Parses `COUNT@OFFSET` or `COUNT`.
  static func range(_ bytes: ArraySlice<UInt8>) -> (count: Int64, offset: Int64?)? {
    let at = bytes.firstIndex(of: 0x40) ?? bytes.endIndex
    guard let count = number(bytes[..<at]), count > 0, count <= SpoolLayout.maxLength else { return nil }
    guard at < bytes.endIndex else { return (count, nil) }
    guard let offset = number(bytes[(at + 1)...]), offset <= SpoolLayout.maxLength else { return nil }
    return (count, offset)
  }
}

/// Parses the attributes of a tag: `NAME=VALUE,NAME="VALUE"`.
struct PlaylistAttributes {
  private var all: [(name: ArraySlice<UInt8>, value: ArraySlice<UInt8>)] = []

  /// Maximum number of attributes of a tag.
  private static let maxCount = 64

  init(_ bytes: ArraySlice<UInt8>) {
    var rest = bytes
    while let equals = rest.firstIndex(of: 0x3D), all.count < Self.maxCount {
      let name = PlaylistLines.trimmed(rest[..<equals])
      var value = rest[(equals + 1)...]
      let isQuoted = value.first == 0x22
      if isQuoted { value = value.dropFirst() }
      let end = value.firstIndex(of: isQuoted ? 0x22 : 0x2C) ?? value.endIndex
      all.append((name, isQuoted ? value[..<end] : PlaylistLines.trimmed(value[..<end])))
      rest = value[end...]
      guard let comma = rest.firstIndex(of: 0x2C) else { return }
      rest = rest[(comma + 1)...]
    }
  }

  subscript(_ name: StaticString) -> ArraySlice<UInt8>? {
    all.first { PlaylistLines.isSame($0.name, name) }?.value
  }
}
