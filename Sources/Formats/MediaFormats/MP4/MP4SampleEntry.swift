// The sample description of an MP4 track and its elementary stream descriptor (ISO 14496-14, 5.6; ISO 14496-1, 7.2.6).
// Pure.

/// The encoding of a track with sound.
package enum MP4SampleEntry: Equatable, Sendable {
  /// AAC, with the decoder's configuration (AudioSpecificConfig).
  case aac(configuration: [UInt8])
  /// Encrypted.
  case protected(kind: UInt32)
  /// Another codec.
  case other(kind: UInt32)
  /// MPEG-4 sound of another object type (ISO 14496-1, table 5).
  case object(UInt8)
  /// A description is missing or damaged.
  case undescribed
  case damaged

  /// Parses the content of an `stsd` box. The first entry counts.
  package init(descriptions: ArraySlice<UInt8>) {
    guard let entry = MP4Content.next(descriptions.dropFirst(8)) else {
      self = .damaged
      return
    }
    switch entry.kind {
    case UInt32(characters: "mp4a"): break
    case UInt32(characters: "drms"), UInt32(characters: "enca"):
      self = .protected(kind: entry.kind)
      return
    default:
      self = .other(kind: entry.kind)
      return
    }
    // Versions 1 and 2 of QuickTime have more fields.
    guard let version = entry.content.big(8, 2), entry.content.count >= 28 else {
      self = .damaged
      return
    }
    let fields = version == 1 ? 28 + 16 : version == 2 ? 28 + 36 : 28
    guard fields <= entry.content.count else {
      self = .damaged
      return
    }
    let boxes = entry.content.dropFirst(fields)
    let descriptor =
      MP4Content.first("esds", in: boxes)
      ?? MP4Content.first("wave", in: boxes).flatMap { MP4Content.first("esds", in: $0) }
    self = descriptor.map { MP4SampleEntry(descriptor: $0) } ?? .undescribed
  }

  /// Parses the content of an `esds` box.
  private init(descriptor bytes: ArraySlice<UInt8>) {
    self = .damaged
    var reader = DescriptorReader(bytes.dropFirst(4))
    // ES_Descriptor: ID, flags, and optional fields.
    guard reader.enter(3), reader.skip(2), let flags = reader.next(),
      reader.skip(flags & 0x80 != 0 ? 2 : 0),
      flags & 0x40 == 0 || reader.skip(Int(reader.next() ?? 0)), reader.skip(flags & 0x20 != 0 ? 2 : 0),
      reader.enter(4), let object = reader.next()
    else { return }
    // ISO 14496-3, and the three profiles of ISO 13818-7.
    guard object == 0x40 || (0x66...0x68).contains(object) else {
      self = .object(object)
      return
    }
    guard reader.skip(12), let count = reader.length(of: 5), count >= 2, let found = reader.take(count) else {
      return
    }
    self = .aac(configuration: found)
  }
}

/// Reads nested descriptors.
private struct DescriptorReader {
  private var rest: ArraySlice<UInt8>

  init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

  mutating func next() -> UInt8? { rest.popFirst() }

  mutating func skip(_ count: Int) -> Bool { take(count) != nil }

  mutating func take(_ count: Int) -> [UInt8]? {
    guard count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return Array(rest.prefix(count))
  }

  /// Enters a descriptor with a tag. Returns false if another follows.
  mutating func enter(_ tag: UInt8) -> Bool { length(of: tag) != nil }

  /// Enters a descriptor with a tag. Returns its length, which is encoded with seven bits per byte.
  mutating func length(of tag: UInt8) -> Int? {
    guard next() == tag else { return nil }
    var count = 0
    for _ in 0..<4 {
      guard let byte = next() else { return nil }
      count = count << 7 | Int(byte & 0x7F)
      if byte & 0x80 == 0 { return count }
    }
    return nil
  }
}
