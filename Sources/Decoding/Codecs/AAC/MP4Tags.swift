// Parser for iTunes-style tags of MP4 files: boxes in moov/udta/meta/ilst, each with a `data` box. Worker
// process only.

import CodecSupport
import MediaFormats

/// Reads titles, numbers, gains and the encoder's delay.
struct MP4Tags {
  /// Encoder delay and padding; nil if absent.
  private(set) var gapless: GaplessTag?
  private let reader: BoxReader

  /// Reads the tags of a `moov` box into `description`. Stops silently where they are damaged.
  init(_ reader: BoxReader, movie: MP4Box, into description: StreamDescription) throws(CodecFailure) {
    self.reader = reader
    do throws(CodecFailure) {
      guard let user = try reader.child("udta", of: movie) else { return }
      if let chapters = try reader.child("chpl", of: user) { try readChapters(chapters, into: description) }
      guard let meta = try reader.child("meta", of: user) else { return }
      // QuickTime's `meta` has no version and flags.
      let head = try reader.content(meta, atMost: 8)
      let isBare = head.count == 8 && BoxReader.big(head, 4, 4) == UInt64(UInt32(characters: "hdlr"))
      guard let list = try reader.child("ilst", of: meta, behind: isBare ? 0 : 4) else { return }
      var gapless: GaplessTag?
      try reader.forEach(from: list.start, to: list.end) { (item) throws(CodecFailure) in
        if let found = try read(item, into: description) { gapless = found }
        return true
      }
      self.gapless = gapless
    } catch {
      guard error.kind == .corrupt else { throw error }
    }
  }

  /// Parses Nero chapters: starts in units of 100 ns, and titles. Chapters before a truncation are kept.
  private func readChapters(_ box: MP4Box, into description: StreamDescription) throws(CodecFailure) {
    let bytes = try reader.content(box, atMost: 1 << 16)
    // Version and flags, followed by four unused bytes from version 1 on.
    var index = (bytes.first ?? 0) == 0 ? 4 : 8
    guard index < bytes.count else { return }
    let count = Int(bytes[index])
    index += 1
    for _ in 0..<count {
      guard index + 9 <= bytes.count else { return }
      let start = BoxReader.big(bytes, index, 8) / 10_000
      let size = Int(bytes[index + 8])
      index += 9
      guard size <= bytes.count - index, start <= UInt64(Int64.max) else { return }
      bytes[index..<index + size].withUnsafeBufferPointer {
        description.addChapter(start: Int64(start), title: $0)
      }
      index += size
    }
  }

  private func read(_ item: MP4Box, into description: StreamDescription) throws(CodecFailure) -> GaplessTag? {
    switch item.kind {
    // The first byte is ©, A9 in Mac OS Roman.
    case 0xA96E_616D: try text(item, .title, description)
    case 0xA941_5254: try text(item, .artist, description)
    case 0xA961_6C62: try text(item, .album, description)
    case UInt32(characters: "aART"): try text(item, .albumArtist, description)
    case 0xA967_656E: try text(item, .genre, description)
    case 0xA964_6179: try text(item, .date, description)
    case UInt32(characters: "disk"):
      let value = try value(item)
      if value.count >= 4, description.raw.pointee.disc_number == 0 {
        description.raw.pointee.disc_number = UInt32(BoxReader.big(value, 2, 2))
      }
    case UInt32(characters: "trkn"):
      let value = try value(item)
      if value.count >= 4, description.raw.pointee.track_number == 0 {
        description.raw.pointee.track_number = UInt32(BoxReader.big(value, 2, 2))
      }
    case UInt32(characters: "----"): return try freeform(item, description)
    default: break
    }
    return nil
  }

  private func text(
    _ item: MP4Box, _ field: StreamDescription.TextField, _ description: StreamDescription
  ) throws(CodecFailure) {
    try reader.forEach(from: item.start, to: item.end) { (data) throws(CodecFailure) in
      guard data.kind == UInt32(characters: "data") else { return true }
      try reader.content(data, atMost: 8 + 1024).dropFirst(8).withUnsafeBufferPointer {
        description.addText(field, $0)
      }
      return true
    }
  }

  /// Parses an item with a written-out name: ReplayGain or iTunSMPB.
  private func freeform(_ item: MP4Box, _ description: StreamDescription) throws(CodecFailure) -> GaplessTag?
  {
    guard let name = try reader.child("name", of: item) else { return nil }
    let key = Array(try reader.content(name, atMost: 68).dropFirst(4))
    let value = try value(item)
    return key.withUnsafeBufferPointer { key in
      value.withUnsafeBufferPointer { value in
        if matches(key, "iTunSMPB") { return GaplessTag(value) }
        _ = description.applyReplayGain(key: key, value: value)
        return nil
      }
    }
  }

  /// The content of an item's `data` box after type and language; at most 1 KiB.
  private func value(_ item: MP4Box) throws(CodecFailure) -> [UInt8] {
    guard let data = try reader.child("data", of: item) else { return [] }
    return Array(try reader.content(data, atMost: 8 + 1024).dropFirst(8))
  }
}

/// The tag iTunSMPB: hexadecimal words, of which the second is the encoder's delay, the third the padding,
/// and the fourth the length of the audio, in samples.
struct GaplessTag: Equatable {
  let delay: Int64
  let padding: Int64
  let length: Int64

  init?(_ text: Bytes) {
    var words: [UInt64] = []
    var index = 0
    while words.count < 4 {
      while index < text.count, text[index] == 0x20 { index += 1 }
      var digits = 0
      var word: UInt64 = 0
      while index < text.count, digits < 16, let digit = Self.digit(text[index]) {
        word = word << 4 | digit
        digits += 1
        index += 1
      }
      guard digits > 0 else { return nil }
      words.append(word)
    }
    // Limits of plausible values; the length exceeds a day at any rate.
    guard words[1] < 1 << 20, words[2] < 1 << 20, words[3] > 0, words[3] < 1 << 40 else { return nil }
    (delay, padding, length) = (Int64(words[1]), Int64(words[2]), Int64(words[3]))
  }

  private static func digit(_ character: UInt8) -> UInt64? {
    switch character {
    case 0x30...0x39: UInt64(character - 0x30)
    case 0x41...0x46: UInt64(character - 0x41) + 10
    case 0x61...0x66: UInt64(character - 0x61) + 10
    default: nil
    }
  }
}
