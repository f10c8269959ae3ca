// Finds pictures in Ogg files (RFC 3533): in comments of Vorbis and Opus, or in FLAC metadata blocks. Runs in the
// picture process; no side effects except reads; accepts any bytes.

import Platform

/// The header packets of a stream.
struct OggPictures {
  /// Maximum size of a packet in bytes: a picture in base64, and other comments.
  private static let maxBytes = 16 << 20
  private static let maxPages = 4096
  private static let maxPackets = 128

  private let input: PictureInput
  private var place: Int64 = 0
  private var serial: Int64?
  private var pages = 0
  /// Remaining segment sizes of the page; `piece` is the offset of the next segment.
  private var pieces: ArraySlice<UInt8> = []
  private var piece: Int64 = 0

  private init(_ input: PictureInput) { self.input = input }

  /// Offers the pictures of an Ogg file.
  static func offer(from input: PictureInput, to choice: inout PictureChoice) throws(PictureFault) {
    var packets = OggPictures(input)
    guard let first = try packets.next() else { return }
    if first.has("\u{7F}FLAC") {
      for _ in 0..<maxPackets where !choice.isSettled {
        guard let block = try packets.next(), let head = block.first else { return }
        if head & 0x7F == FLACPictures.pictureBlock, block.count > 4 {
          try choice.offer(block: Array(block[4...]))
        }
        if head & 0x80 != 0 { return }
      }
    } else if first.has("OpusHead"), let second = try packets.next(), second.has("OpusTags") {
      try offer(comments: second, from: 8, to: &choice)
    } else if first.has("\u{1}vorbis"), let second = try packets.next(), second.has("\u{3}vorbis") {
      try offer(comments: second, from: 7, to: &choice)
    }
  }

  /// Offers the pictures in a comment packet, whose comments have length prefixes.
  private static func offer(
    comments packet: [UInt8], from start: Int64, to choice: inout PictureChoice
  ) throws(PictureFault) {
    let key = Array("METADATA_BLOCK_PICTURE=".utf8)
    guard let vendor = packet.little(start), let count = packet.little(start + 4 + vendor) else { return }
    var place = start + 8 + vendor
    for _ in 0..<min(count, 65_536) where !choice.isSettled {
      guard let length = packet.little(place), Int64(packet.count) - place - 4 >= length else { return }
      let comment = packet[Int(place + 4)..<Int(place + 4 + length)]
      place += 4 + length
      guard comment.count > key.count,
        zip(comment, key).allSatisfy({ $0 == $1 || $0 >= 0x61 && $0 <= 0x7A && $0 - 0x20 == $1 }),
        let block = Base64.bytes(comment.dropFirst(key.count))
      else { continue }
      try choice.offer(block: block)
    }
  }

  /// The next packet of the file's first stream; nil if there is none.
  private mutating func next() throws(PictureFault) -> [UInt8]? {
    var packet: [UInt8] = []
    while true {
      guard !pieces.isEmpty else {
        guard turn() else { return nil }
        continue
      }
      // A segment of less than 255 bytes ends the packet.
      let last = pieces.firstIndex { $0 < 255 }
      let mine = last.map { pieces[...$0] } ?? pieces
      pieces = pieces.dropFirst(mine.count)
      let size = mine.reduce(0) { $0 + Int($1) }
      packet += input.bytes(at: piece, size)
      piece += Int64(size)
      guard packet.count <= Self.maxBytes else { throw .tooLarge }
      if last != nil { return packet }
    }
  }

  /// Advances to the next page of the stream.
  private mutating func turn() -> Bool {
    while pages < Self.maxPages {
      pages += 1
      let head = input.bytes(at: place, 27)
      guard head.count == 27, head.has("OggS"), let number = head.little(14) else { return false }
      let sizes = input.bytes(at: place + 27, Int(head[26]))
      guard sizes.count == Int(head[26]) else { return false }
      piece = place + 27 + Int64(sizes.count)
      place = piece + sizes.reduce(0) { $0 + Int64($1) }
      if serial == nil { serial = number }
      guard number == serial else { continue }
      pieces = sizes[...]
      return true
    }
    return false
  }
}
