// Reader for boxes of the ISO base media file format (ISO 14496-12, 4.2), on which MP4 is based. Worker
// process only.

import CodecSupport

/// A box: its kind and the range of its content in the file.
struct Box {
  let kind: UInt32
  /// Offset of the content's first byte.
  let start: Int64
  /// Offset of the first byte after the box.
  let end: Int64

  var count: Int64 { end - start }

  /// Converts a kind to a number, as in `Box.kind("moov")`.
  static func kind(_ name: StaticString) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(name.utf8Start[$1]) }
  }

  /// Formats a kind for an error text.
  static func name(_ kind: UInt32) -> Phrase {
    var name: Phrase = ""
    for shift in [24, 16, 8, 0] as [UInt32] {
      let byte = UInt8(truncatingIfNeeded: kind >> shift)
      name.append(ascii: byte > 0x20 && byte < 0x7F ? byte : 0x3F)
    }
    return name
  }
}

/// Reads boxes and their fields. Sizes in the file are checked against the enclosing box.
struct BoxReader {
  let input: MediaInput
  /// Maximum number of boxes of one parent, to bound the work on hostile files.
  static let maxBoxes = 1 << 14

  /// Calls `body` for each box in a range, until it returns false.
  func forEach(
    from start: Int64, to end: Int64, _ body: (Box) throws(CodecFailure) -> Bool
  ) throws(CodecFailure) {
    var offset = start
    for _ in 0..<Self.maxBoxes {
      guard end - offset >= 8 else { return }
      let head = try bytes(at: offset, count: 8)
      guard head.count == 8 else { return }
      var size = Int64(Self.big(head, 0, 4))
      var headSize: Int64 = 8
      if size == 1 {
        let long = try bytes(at: offset + 8, count: 8)
        guard long.count == 8, long[0] < 0x40 else { throw broken(at: offset) }
        size = Int64(Self.big(long, 0, 8))
        headSize = 16
      } else if size == 0 {
        size = end - offset
      }
      guard size >= headSize else { throw broken(at: offset) }
      // The last box of a truncated file extends past its end.
      let box = Box(
        kind: UInt32(Self.big(head, 4, 4)), start: offset + headSize, end: min(end, offset + min(size, end)))
      guard box.start <= box.end else { throw broken(at: offset) }
      guard try body(box) else { return }
      offset += size
    }
    throw CodecFailure(.corrupt, "There are more than \(Self.maxBoxes) boxes up to byte \(offset).")
  }

  /// The first child box of a kind.
  ///
  /// - Parameters:
  ///   - name: The kind.
  ///   - parent: The enclosing box.
  ///   - fields: Size in bytes of the parent's fields before its child boxes.
  func child(
    _ name: StaticString, of parent: Box, behind fields: Int64 = 0
  ) throws(CodecFailure) -> Box? {
    var found: Box?
    let kind = Box.kind(name)
    try forEach(from: parent.start + fields, to: parent.end) { (box) throws(CodecFailure) in
      if box.kind == kind { found = box }
      return found == nil
    }
    return found
  }

  /// Reads bytes of the file; fewer at its end.
  func bytes(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8] {
    try input.bytes(at: offset, count: count)
  }

  /// Reads the beginning of a box's content: at most `most` bytes and 64 KiB.
  func content(_ box: Box, atMost most: Int) throws(CodecFailure) -> [UInt8] {
    let count = Int(min(box.count, Int64(min(most, 1 << 16))))
    return count > 0 ? try bytes(at: box.start, count: count) : []
  }

  /// Reads the first `count` bytes of a box's content. Throws `corrupt` if there are fewer.
  func fields(_ box: Box, _ count: Int) throws(CodecFailure) -> [UInt8] {
    let bytes = try content(box, atMost: count)
    guard bytes.count == count else { throw broken(at: box.start - 8) }
    return bytes
  }

  func broken(at offset: Int64) -> CodecFailure {
    CodecFailure(.corrupt, "The MP4 box at byte \(offset) is damaged or cut.")
  }

  /// Reads a big-endian number of `count` bytes.
  static func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    (0..<count).reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
  }
}
