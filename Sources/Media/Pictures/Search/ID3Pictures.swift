// Finds pictures in ID3v2 tags, versions 2.2 to 2.4 (id3.org). Runs in the picture process; no side effects except
// reads; accepts any bytes.

/// An ID3v2 tag.
struct ID3Pictures {
  /// Maximum size of a tag in bytes: an unsynchronised picture, and other frames.
  private static let maxBytes = 32 << 20
  private static let maxFrames = 4096

  /// Size of the tag with header and footer.
  let length: Int64
  private let major: UInt8
  private let flags: UInt8
  private let size: Int

  /// Parses a tag's header; nil if it is invalid.
  init?(_ head: [UInt8]) {
    guard head.count >= 10, head.has("ID3"), (2...4).contains(head[3]),
      head[6..<10].allSatisfy({ $0 < 0x80 })
    else { return nil }
    major = head[3]
    flags = head[5]
    size = head[6..<10].reduce(0) { $0 << 7 | Int($1) }
    length = Int64(size + 10 + (major == 4 && flags & 0x10 != 0 ? 10 : 0))
  }

  /// Offers the pictures of the tag at offset `start`.
  func offer(from input: PictureInput, at start: Int64, to choice: inout PictureChoice) throws(PictureFault) {
    var tag = input.bytes(at: start + 10, min(size, Self.maxBytes))
    // In version 2.4, unsynchronisation applies to single frames.
    if flags & 0x80 != 0, major < 4 { tag = Self.withoutUnsynchronisation(tag[...]) }
    var place: Int64 = 0
    if flags & 0x40 != 0 {
      guard major > 2, let extra = number(tag, 0) else { return }
      place = major == 4 ? extra : extra + 4
    }
    let nameLength: Int64 = major == 2 ? 3 : 4
    for _ in 0..<Self.maxFrames where !choice.isSettled {
      let head = place + (major == 2 ? 6 : 10)
      guard head <= Int64(tag.count), tag[Int(place)] != 0, let length = number(tag, place + nameLength),
        length > 0
      else { return }
      let (start, end) = (Int(head), Int(min(head + length, Int64(tag.count))))
      let isPicture = major == 2 ? tag.has("PIC", at: place) : tag.has("APIC", at: place)
      if isPicture, let body = body(tag[start..<end], format: major == 2 ? 0 : tag[start - 1]) {
        try offer(body, to: &choice)
      }
      place = head + length
    }
  }

  /// A size in a frame header or extended header: synchsafe in version 2.4, three bytes in 2.2.
  private func number(_ tag: [UInt8], _ place: Int64) -> Int64? {
    guard let plain = tag.big(place, major == 2 ? 3 : 4) else { return nil }
    guard major == 4 else { return plain }
    let bytes = tag[Int(place)..<Int(place) + 4]
    // Some taggers write plain integers, which can be detected if any high bit is set.
    return bytes.allSatisfy { $0 < 0x80 } ? bytes.reduce(0) { $0 << 7 | Int64($1) } : plain
  }

  /// Contents of a frame; nil if it is compressed, encrypted or grouped.
  private func body(_ bytes: ArraySlice<UInt8>, format: UInt8) -> [UInt8]? {
    guard major == 4 else { return format & 0xE0 == 0 ? Array(bytes) : nil }
    guard format & 0x4C == 0 else { return nil }
    let inner = bytes.dropFirst(format & 0x01 != 0 ? 4 : 0)
    return format & 0x02 != 0 || flags & 0x80 != 0 ? Self.withoutUnsynchronisation(inner) : Array(inner)
  }

  private func offer(_ body: [UInt8], to choice: inout PictureChoice) throws(PictureFault) {
    guard let encoding = body.first else { return }
    var place = 1
    if major == 2 {
      guard !body.has("-->", at: 1) else { return }
      place += 3
    } else {
      guard !body.has("-->", at: 1), let end = body[1...].firstIndex(of: 0) else { return }
      place = end + 1
    }
    guard place < body.count else { return }
    let kind = Int64(body[place])
    place += 1
    // The description ends with one or two zero bytes, depending on its encoding.
    if encoding == 1 || encoding == 2 {
      while place + 1 < body.count, body[place] != 0 || body[place + 1] != 0 { place += 2 }
      place += 2
    } else {
      while place < body.count, body[place] != 0 { place += 1 }
      place += 1
    }
    guard place < body.count else { return }
    try choice.offer(kind, body[place...])
  }

  /// Reverts unsynchronisation: removes the zero byte after each 0xFF.
  private static func withoutUnsynchronisation(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var kept: [UInt8] = []
    kept.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
      if previous != 0xFF || byte != 0 { kept.append(byte) }
      previous = byte
    }
    return kept
  }
}
