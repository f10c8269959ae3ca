// Parser for the sample entry of an MP4 track and its elementary stream descriptor (ISO 14496-14, 5.6; ISO
// 14496-1, 7.2.6). Worker process only.

import CodecSupport

/// Reads `stsd` boxes.
enum SampleEntry {
  /// The decoder's configuration of an AAC track.
  ///
  /// - Throws: `unsupported` for other codecs, `protected` for encrypted tracks, `corrupt` for damaged boxes.
  static func configuration(_ reader: BoxReader, _ descriptions: Box) throws(CodecFailure) -> [UInt8] {
    var entry: Box?
    try reader.forEach(from: descriptions.start + 8, to: descriptions.end) { (box) throws(CodecFailure) in
      entry = box
      return false
    }
    guard let entry else { throw reader.broken(at: descriptions.start - 8) }
    switch entry.kind {
    case Box.kind("mp4a"): break
    case Box.kind("drms"), Box.kind("enca"):
      throw CodecFailure(
        .protected, "The MP4 file is protected (\(Box.name(entry.kind))): only its seller's programs play it."
      )
    default:
      throw CodecFailure(
        .unsupported,
        "The MP4 file's sound is encoded as \(Box.name(entry.kind)), which is not played; AAC is (mp4a).")
    }
    // Versions 1 and 2 of QuickTime have more fields.
    let version = BoxReader.big(try reader.fields(entry, 28), 8, 2)
    let fields: Int64 = version == 1 ? 28 + 16 : version == 2 ? 28 + 36 : 28
    guard fields <= entry.count else { throw reader.broken(at: entry.start - 8) }
    var descriptor = try reader.child("esds", of: entry, behind: fields)
    if descriptor == nil, let wave = try reader.child("wave", of: entry, behind: fields) {
      descriptor = try reader.child("esds", of: wave)
    }
    guard let descriptor else {
      throw CodecFailure(
        .unsupported, "The MP4 track at byte \(entry.start) does not say how it is encoded (esds).")
    }
    let bytes = try reader.content(descriptor, atMost: 1024)
    return try configuration(of: bytes, at: descriptor.start)
  }

  /// The configuration in the content of an `esds` box.
  private static func configuration(of bytes: [UInt8], at offset: Int64) throws(CodecFailure) -> [UInt8] {
    var reader = DescriptorReader(bytes: bytes, index: 4)
    // ES_Descriptor: ID, flags, and optional fields.
    guard reader.enter(3), reader.skip(2), let flags = reader.next(),
      reader.skip((flags & 0x80 != 0 ? 2 : 0)),
      flags & 0x40 == 0 || reader.skip(Int(reader.next() ?? 0)), reader.skip((flags & 0x20 != 0 ? 2 : 0)),
      reader.enter(4), let kind = reader.next()
    else { throw CodecFailure(.corrupt, "The MP4 file's decoder description at byte \(offset) is damaged.") }
    // ISO 14496-3, and the three profiles of ISO 13818-7.
    guard kind == 0x40 || (0x66...0x68).contains(kind) else {
      throw CodecFailure(
        .unsupported,
        "The MP4 file's sound is encoded as MPEG-4 object \(kind), which is not played; AAC is (64).")
    }
    guard reader.skip(12), let count = reader.length(of: 5), count >= 2, let found = reader.take(count) else {
      throw CodecFailure(.corrupt, "The MP4 file's decoder description at byte \(offset) is damaged.")
    }
    return found
  }
}

/// Reads nested descriptors.
private struct DescriptorReader {
  let bytes: [UInt8]
  var index: Int

  mutating func next() -> UInt8? {
    guard index < bytes.count else { return nil }
    defer { index += 1 }
    return bytes[index]
  }

  mutating func skip(_ count: Int) -> Bool {
    guard count <= bytes.count - index else { return false }
    index += count
    return true
  }

  mutating func take(_ count: Int) -> [UInt8]? {
    let start = index
    return skip(count) ? Array(bytes[start..<index]) : nil
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
