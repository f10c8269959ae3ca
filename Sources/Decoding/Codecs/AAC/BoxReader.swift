// Reads the boxes of MP4 files for the AAC codec, with its errors. Worker process only.

import CodecSupport
import MediaFormats

extension MP4Box {
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

/// Reads boxes and their fields.
struct BoxReader: ByteSource {
  let input: MediaInput
  /// A part of the file that is kept in memory, for streams, in which it cannot be read again.
  private var kept: (start: Int64, bytes: [UInt8])?

  init(_ input: MediaInput) { self.input = input }

  /// Reads a part of the file into memory.
  ///
  /// - Throws: `corrupt` if the file ends before `end`.
  mutating func keep(from start: Int64, to end: Int64) throws(CodecFailure) {
    let bytes = try input.bytes(at: start, count: Int(end - start))
    guard Int64(bytes.count) == end - start else { throw broken(at: start) }
    kept = (start, bytes)
  }

  /// Calls `body` for each box in a range, until it returns false.
  func forEach(
    from start: Int64, to end: Int64, _ body: (MP4Box) throws(CodecFailure) -> Bool
  ) throws(CodecFailure) {
    var boxes = MP4Boxes(in: self, from: start, to: end)
    while true {
      switch try boxes.next() {
      case .box(let box): guard try body(box) else { return }
      case .damaged(let offset): throw broken(at: offset)
      case .tooMany(let offset):
        throw CodecFailure(
          .corrupt, "There are more than \(MP4Boxes<BoxReader>.maxBoxes) boxes up to byte \(offset).")
      case .end: return
      }
    }
  }

  /// The first child box of a kind.
  ///
  /// - Parameters:
  ///   - name: The kind.
  ///   - parent: The enclosing box.
  ///   - fields: Size in bytes of the parent's fields before its child boxes.
  func child(
    _ name: StaticString, of parent: MP4Box, behind fields: Int64 = 0
  ) throws(CodecFailure) -> MP4Box? {
    var found: MP4Box?
    let kind = UInt32(characters: name)
    try forEach(from: parent.start + fields, to: parent.end) { (box) throws(CodecFailure) in
      if box.kind == kind { found = box }
      return found == nil
    }
    return found
  }

  /// Reads bytes of the file; fewer at its end.
  func bytes(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8] {
    if let kept, offset >= kept.start, offset - kept.start <= Int64(kept.bytes.count - count) {
      return Array(kept.bytes[Int(offset - kept.start)..<Int(offset - kept.start) + count])
    }
    return try input.bytes(at: offset, count: count)
  }

  /// Reads the beginning of a box's content: at most `most` bytes and 64 KiB.
  func content(_ box: MP4Box, atMost most: Int) throws(CodecFailure) -> [UInt8] {
    let count = Int(min(box.count, Int64(min(most, 1 << 16))))
    return count > 0 ? try bytes(at: box.start, count: count) : []
  }

  /// Reads the first `count` bytes of a box's content. Throws `corrupt` if there are fewer.
  func fields(_ box: MP4Box, _ count: Int) throws(CodecFailure) -> [UInt8] {
    let bytes = try content(box, atMost: count)
    guard bytes.count == count else { throw broken(at: box.offset) }
    return bytes
  }

  func broken(at offset: Int64) -> CodecFailure {
    CodecFailure(.corrupt, "The MP4 box at byte \(offset) is damaged or cut.")
  }

  /// Reads a big-endian number of `count` bytes; 0 if there are fewer.
  static func big(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
    UInt64(bytes.big(Int64(offset), count) ?? 0)
  }
}
