// Builds MP4 files by hand, so that a test can corrupt each part. Test threads.

/// AAC packets extracted from an ADTS stream.
struct AACPackets {
  let packets: [[UInt8]]
  /// Their decoder configuration in an MP4 file.
  let configuration: [UInt8]

  init(adts bytes: [UInt8]) {
    var packets: [[UInt8]] = []
    var offset = 0
    while offset + 7 <= bytes.count {
      let size = Int(bytes[offset + 3] & 3) << 11 | Int(bytes[offset + 4]) << 3 | Int(bytes[offset + 5] >> 5)
      packets.append(Array(bytes[(offset + 7)..<(offset + size)]))
      offset += size
    }
    let kind = (bytes[2] >> 6) + 1
    let rate = bytes[2] >> 2 & 15
    let channels = (bytes[2] & 1) << 2 | bytes[3] >> 6
    configuration = [kind << 3 | rate >> 1, rate << 7 | channels << 3]
    self.packets = packets
  }
}

/// An MP4 file with one track.
struct MP4File {
  var packets: [[UInt8]]
  var configuration: [UInt8]
  /// Time scales of the track, which counts frames, and of the movie.
  var timeScale = 44100
  var movieScale = 44100
  var packetFrames = 1024
  /// Duration of the last packet, if different.
  var lastFrames: Int?
  /// Start and length of the edit; the length is in movie units.
  var edit: (start: Int, length: Int)?
  /// Names and values of iTunes freeform tags.
  var tags: [(String, String)] = []
  /// Metadata items by kind, with the values of each.
  var items: [(kind: [UInt8], values: [[UInt8]])] = []
  /// The content of the `chpl` box.
  var chapters: [UInt8]?
  var entry = "mp4a"
  /// Packets per chunk.
  var chunk = 7
  var isTableFirst = true
  var brand = "M4A "
  var usesWideOffsets = false
  /// Packets per fragment; nil if the file is not fragmented.
  var fragment: Int?

  init(_ aac: AACPackets) { (packets, configuration) = (aac.packets, aac.configuration) }

  static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    .big(UInt32(content.count + 8)) + Array(kind.utf8) + content
  }

  /// A box whose type is not valid UTF-8.
  static func sized(_ kind: [UInt8], _ content: [UInt8]) -> [UInt8] {
    .big(UInt32(content.count + 8)) + kind + content
  }

  /// A box with version and flags.
  static func full(_ kind: String, _ content: [UInt8], version: UInt8 = 0) -> [UInt8] {
    box(kind, [version, 0, 0, 0] + content)
  }

  var bytes: [UInt8] {
    let start = Self.box("ftyp", Array(brand.utf8) + [0, 0, 0, 0] + Array("isom".utf8))
    if fragment != nil { return start + fragments }
    let data = Self.box("mdat", packets.flatMap { $0 })
    if isTableFirst {
      // The size of the `moov` box does not depend on its offsets.
      let offset = start.count + movie(dataOffset: 0).count + 8
      return start + movie(dataOffset: offset) + data
    }
    return start + data + movie(dataOffset: start.count + 8)
  }

  /// The table of contents without packets, and the fragments.
  private var fragments: [UInt8] {
    var empty = self
    (empty.packets, empty.lastFrames, empty.fragment) = ([], nil, nil)
    let extends = Self.box(
      "mvex",
      Self.full(
        "trex",
        .big(UInt32(1)) + .big(UInt32(1)) + .big(UInt32(packetFrames)) + .big(UInt32(0)) + .big(UInt32(0))))
    var bytes = empty.movie(dataOffset: 0, extends: extends)
    var rest = packets[...]
    while !rest.isEmpty {
      let some = rest.prefix(fragment ?? rest.count)
      rest = rest.dropFirst(some.count)
      func table(_ offset: Int) -> [UInt8] {
        let rows = some.flatMap { [UInt8].big(UInt32($0.count)) }
        // Flags: data offset and sizes are present; the offset is relative to the fragment.
        let run = Self.box("trun", [0, 0, 2, 1] + .big(UInt32(some.count)) + .big(UInt32(offset)) + rows)
        let head = Self.box("tfhd", [0, 2, 0, 0] + .big(UInt32(1)))
        return Self.box("moof", Self.full("mfhd", .big(UInt32(1))) + Self.box("traf", head + run))
      }
      bytes += table(table(0).count + 8) + Self.box("mdat", some.flatMap { $0 })
    }
    return bytes
  }

  private var duration: Int { (packets.count - 1) * packetFrames + (lastFrames ?? packetFrames) }

  private func movie(dataOffset: Int, extends: [UInt8] = []) -> [UInt8] {
    let zeros = [UInt8](repeating: 0, count: 80)
    let header = Self.full(
      "mvhd", .big(UInt32(0)) + .big(UInt32(0)) + .big(UInt32(movieScale)) + .big(UInt32(duration)) + zeros)
    return Self.box("moov", header + track(dataOffset: dataOffset) + extends + userData)
  }

  private func track(dataOffset: Int) -> [UInt8] {
    let mediaHeader = Self.full(
      "mdhd",
      .big(UInt32(0)) + .big(UInt32(0)) + .big(UInt32(timeScale)) + .big(UInt32(duration)) + [
        0x55, 0xC4, 0, 0,
      ])
    let handler = Self.full("hdlr", [0, 0, 0, 0] + Array("soun".utf8) + [UInt8](repeating: 0, count: 13))
    let table = Self.box("stbl", description + times + chunks + sizes + offsets(dataOffset))
    var edits: [UInt8] = []
    if let edit {
      let row: [UInt8] = .big(UInt32(edit.length)) + .big(UInt32(edit.start)) + [0, 1, 0, 0]
      edits = Self.box("edts", Self.full("elst", .big(UInt32(1)) + row))
    }
    let media = Self.box("mdia", mediaHeader + handler + Self.box("minf", table))
    let trackHeader = Self.full("tkhd", .big(UInt32(0)) + .big(UInt32(0)) + .big(UInt32(1)) + .big(UInt32(0)))
    return Self.box("trak", trackHeader + edits + media)
  }

  private var description: [UInt8] {
    let special = [5, UInt8(configuration.count)] + configuration
    let decoder: [UInt8] =
      [4, UInt8(13 + special.count), 0x40, 0x15] + [UInt8](repeating: 0, count: 11) + special
    let stream: [UInt8] = [3, UInt8(3 + decoder.count), 0, 1, 0] + decoder
    let fields: [UInt8] =
      [0, 0, 0, 0, 0, 0, 0, 1] + [UInt8](repeating: 0, count: 8) + [0, 2, 0, 16, 0, 0, 0, 0]
      + .big(UInt32(timeScale) << 16)
    return Self.full("stsd", .big(UInt32(1)) + Self.box(entry, fields + Self.full("esds", stream)))
  }

  private var times: [UInt8] {
    var rows = [(packets.count, packetFrames)]
    if let lastFrames { rows = [(packets.count - 1, packetFrames), (1, lastFrames)] }
    return Self.full(
      "stts", .big(UInt32(rows.count)) + rows.flatMap { [UInt8].big(UInt32($0.0)) + .big(UInt32($0.1)) })
  }

  private var chunks: [UInt8] {
    let whole = packets.count / chunk
    let rest = packets.count % chunk
    var rows: [(Int, Int)] = whole > 0 ? [(1, chunk)] : []
    if rest > 0 { rows.append((whole + 1, rest)) }
    return Self.full(
      "stsc",
      .big(UInt32(rows.count))
        + rows.flatMap { [UInt8].big(UInt32($0.0)) + .big(UInt32($0.1)) + .big(UInt32(1)) })
  }

  private var sizes: [UInt8] {
    Self.full(
      "stsz",
      .big(UInt32(0)) + .big(UInt32(packets.count)) + packets.flatMap { [UInt8].big(UInt32($0.count)) })
  }

  private func offsets(_ start: Int) -> [UInt8] {
    var places: [Int] = []
    var offset = start
    for (index, packet) in packets.enumerated() {
      if index % chunk == 0 { places.append(offset) }
      offset += packet.count
    }
    let rows = places.flatMap { usesWideOffsets ? [UInt8].big(UInt64($0)) : .big(UInt32($0)) }
    return Self.full(usesWideOffsets ? "co64" : "stco", .big(UInt32(places.count)) + rows)
  }

  private var userData: [UInt8] {
    guard !tags.isEmpty || !self.items.isEmpty || chapters != nil else { return [] }
    let standard = self.items.flatMap { kind, values in
      Self.sized(kind, values.flatMap { Self.box("data", .big(UInt32(1)) + [0, 0, 0, 0] + $0) })
    }
    let items = tags.flatMap { name, value in
      Self.box(
        "----",
        Self.full("mean", Array("com.apple.iTunes".utf8)) + Self.full("name", Array(name.utf8))
          + Self.box("data", .big(UInt32(1)) + [0, 0, 0, 0] + Array(value.utf8)))
    }
    return Self.box(
      "udta",
      (chapters.map { Self.box("chpl", $0) } ?? []) + Self.full("meta", Self.box("ilst", standard + items)))
  }
}
