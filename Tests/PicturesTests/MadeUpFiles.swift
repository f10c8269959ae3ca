// Generated media files with pictures, up to the start of the sound. Test threads.

import Platform

enum MadeUpFiles {
  static func big(_ number: some BinaryInteger, _ count: Int = 4) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
  }
  static func little(_ number: some BinaryInteger) -> [UInt8] { big(number).reversed() }
  static func letters(_ text: String) -> [UInt8] { Array(text.utf8) }

  /// Bytes that look like a JPEG picture, different for each seed, with sequences that unsynchronisation
  /// changes.
  static func picture(_ seed: UInt8, _ count: Int = 300) -> [UInt8] {
    [0xFF, 0xD8, 0xFF, 0xE0, 0xFF, 0x00, 0xFF, 0x00, 0x00]
      + (0..<count).map { seed &+ UInt8(truncatingIfNeeded: $0) }
  }

  /// The picture block of FLAC and of Ogg comments.
  static func block(_ kind: Int, _ picture: [UInt8], type: String = "image/jpeg") -> [UInt8] {
    var block = big(kind) + big(type.utf8.count) + letters(type)
    block += big(4) + letters("name") + [UInt8](repeating: 0, count: 16)
    return block + big(picture.count) + picture
  }

  static func flac(_ blocks: [(type: UInt8, bytes: [UInt8])]) -> [UInt8] {
    var bytes = letters("fLaC") + [0] + big(34, 3) + [UInt8](repeating: 7, count: 34)
    for (i, block) in blocks.enumerated() {
      bytes += [block.type | (i == blocks.count - 1 ? 0x80 : 0)] + big(block.bytes.count, 3) + block.bytes
    }
    return bytes + [0xFF, 0xF8, 1, 2, 3]
  }

  private static func unsynchronised(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    for (i, byte) in bytes.enumerated() {
      kept.append(byte)
      if byte == 0xFF, i + 1 == bytes.count || bytes[i + 1] >= 0xE0 || bytes[i + 1] == 0 { kept.append(0) }
    }
    return kept
  }

  /// An ID3v2 tag with a title and pictures; `extra` adds an extended header in 2.3 and 2.4.
  static func id3(
    _ major: UInt8, _ pictures: [(kind: UInt8, bytes: [UInt8])],
    unsynchronised isUnsynchronised: Bool = false,
    encoding: UInt8 = 0, extra: Bool = false, type: String = "image/jpeg", hasPlainSizes: Bool = false
  ) -> [UInt8] {
    func seven(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (7 * (3 - $0)) & 0x7F) } }
    func frame(_ name: String, _ body: [UInt8]) -> [UInt8] {
      if major == 2 { return letters(name) + big(body.count, 3) + body }
      guard major == 4 else { return letters(name) + big(body.count) + [0, 0] + body }
      let written = isUnsynchronised ? seven(body.count) + unsynchronised(body) : body
      return letters(name) + (hasPlainSizes ? big(written.count) : seven(written.count)) + [
        0, isUnsynchronised ? 0x03 : 0,
      ] + written
    }
    var frames = frame(major == 2 ? "TT2" : "TIT2", [0] + letters("A title"))
    for picture in pictures {
      let description = encoding == 1 ? [0xFF, 0xFE, 0x61, 0, 0, 0x61, 0, 0] : letters("x") + [0]
      let head = major == 2 ? letters("JPG") : letters(type) + [0]
      frames += frame(
        major == 2 ? "PIC" : "APIC", [encoding] + head + [picture.kind] + description + picture.bytes)
    }
    frames += [UInt8](repeating: 0, count: 20)
    if extra { frames = (major == 4 ? seven(6) + [1, 0] : big(6) + [0, 0, 0, 0, 0, 0]) + frames }
    if isUnsynchronised, major < 4 { frames = unsynchronised(frames) }
    let flags: UInt8 = (isUnsynchronised ? 0x80 : 0) | (extra ? 0x40 : 0)
    return letters("ID3") + [major, 0, flags] + seven(frames.count) + frames
  }

  /// The pages of an Ogg file, interleaved with those of another stream.
  static func ogg(_ packets: [[UInt8]], pieces: Int = 40) -> [UInt8] {
    func page(_ serial: Int, _ sizes: [UInt8], _ bytes: ArraySlice<UInt8>) -> [UInt8] {
      var page = letters("OggS") + [UInt8](repeating: 0, count: 10) + little(serial)
      page += [UInt8](repeating: 0, count: 8)
      page.append(UInt8(sizes.count))
      return page + sizes + bytes
    }
    var bytes: [UInt8] = []
    for packet in packets {
      let sizes = [UInt8](repeating: 255, count: packet.count / 255) + [UInt8(packet.count % 255)]
      var place = 0
      for start in stride(from: 0, to: sizes.count, by: pieces) {
        let part = Array(sizes[start..<min(sizes.count, start + pieces)])
        let count = part.reduce(0) { $0 + Int($1) }
        bytes += page(77, part, packet[place..<place + count]) + page(78, [3], [1, 2, 3])
        place += count
      }
    }
    return bytes
  }

  static func comments(_ texts: [[UInt8]]) -> [UInt8] {
    var bytes = little(3) + letters("who") + little(texts.count)
    for text in texts { bytes += little(text.count) + text }
    return bytes
  }

  static func comment(_ block: [UInt8], key: String = "METADATA_BLOCK_PICTURE") -> [UInt8] {
    letters(key + "=" + Base64.text(block[...]))
  }

  static func box(_ kind: String, _ content: [UInt8]) -> [UInt8] {
    big(content.count + 8) + letters(kind) + content
  }

  static func mp4(_ picture: [UInt8], isBare: Bool = false) -> [UInt8] {
    let cover = box("covr", box("data", big(13) + big(0) + picture))
    let inner = box("hdlr", [0, 0, 0, 0]) + box("ilst", box("\u{7F}nam", [1, 2]) + cover)
    let meta = isBare ? inner : [0, 0, 0, 0] + inner
    let front = box("ftyp", letters("M4A ")) + box("mdat", [UInt8](repeating: 9, count: 99))
    return front + box("moov", box("mvhd", [5]) + box("udta", box("meta", meta)))
  }

  static func ape(_ items: [(key: String, value: [UInt8])], isID3Behind: Bool = false) -> [UInt8] {
    var body: [UInt8] = []
    for item in items {
      body += little(item.value.count) + little(2)
      body += letters(item.key) + [0] + item.value
    }
    var bytes = letters("wvpk") + [UInt8](repeating: 3, count: 60) + body
    bytes += letters("APETAGEX") + little(2000) + little(body.count + 32)
    bytes += little(items.count) + little(0) + [UInt8](repeating: 0, count: 8)
    return isID3Behind ? bytes + letters("TAG") + [UInt8](repeating: 0, count: 125) : bytes
  }

  static func wav(_ tag: [UInt8]) -> [UInt8] {
    let chunks = letters("fmt ") + little(3) + [1, 2, 3, 0] + letters("id3 ") + little(tag.count) + tag
    return letters("RIFF") + little(chunks.count + 4) + letters("WAVE") + chunks
  }

  static func aiff(_ tag: [UInt8]) -> [UInt8] {
    let chunks = letters("COMM") + big(3) + [1, 2, 3, 0] + letters("ID3 ") + big(tag.count) + tag
    return letters("FORM") + big(chunks.count + 4) + letters("AIFF") + chunks
  }
}
