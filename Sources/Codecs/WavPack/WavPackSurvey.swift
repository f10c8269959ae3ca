// Where a WavPack stream of a file ends, found by the headers of its blocks. Worker process only.

import CodecSupport

/// Goes from block to block.
final class WavPackSurvey {
  private let input: MediaInput
  private let length: Int64
  private let frames: Int64
  private var hasLooked = false
  private var offset: Int64 = 0
  /// Whether the end is known.
  private(set) var isOver = false
  /// The byte that another stream begins with; nil where none follows.
  private(set) var next: Int64?

  /// Bytes in which the last block begins, as a rule, and a bound of blocks.
  private static let tailBytes = 1 << 18
  private static let maxBlock: Int64 = 1 << 22

  init(_ input: MediaInput, length: Int64, frames: Int64) {
    self.input = input
    self.length = length
    self.frames = frames
  }

  private struct Block {
    let bytes: Int64
    let first: Int64
    let count: Int64
    let total: Int64
    /// Bits that say rate, channels, and width and kind of the samples.
    let kind: Int64

    var end: Int64 { first + count }

    init?(_ bytes: Bytes, at offset: Int) {
      guard hasMagic(bytes, "wvpk", at: offset), bytes.count - offset >= 32 else { return nil }
      func little(_ place: Int) -> Int64 {
        (0..<4).reduce(0) { $0 | Int64(bytes[offset + place + $1]) << Int64(8 * $1) }
      }
      self.bytes = little(4) + 8
      first = little(16) | Int64(bytes[offset + 10]) << 32
      count = little(20)
      // The upper byte counts in units of 2^32 - 1, so that the lower four are never all ones.
      kind = little(24) & 0x0780_0087
      let upper = Int64(bytes[offset + 11])
      total = little(12) == 0xFFFF_FFFF ? -1 : little(12) + upper << 32 - upper
      guard self.bytes >= 32, self.bytes <= WavPackSurvey.maxBlock else { return nil }
    }
  }

  /// The frames that a block says its stream has.
  static func total(_ bytes: Bytes) -> Int64? { Block(bytes, at: 0).map { $0.total } }

  /// Reads about `bytes` bytes on.
  func work(bytes: Int) throws(CodecFailure) {
    guard !isOver, bytes > 0 else { return }
    if !hasLooked {
      hasLooked = true
      if try endsWithStream() { isOver = true }
      return
    }
    let limit = offset < .max - Int64(bytes) ? offset + Int64(bytes) : .max
    while !isOver, offset < limit { try step() }
  }

  /// Whether a stream begins at a byte.
  func isStream(at offset: Int64) throws(CodecFailure) -> Bool {
    let bytes = try input.bytes(at: offset, count: 32)
    return bytes.withUnsafeBufferPointer { Block($0, at: 0).map { $0.first == 0 && $0.count > 0 } } ?? false
  }

  /// Whether the last block of the file holds the stream's last frames.
  private func endsWithStream() throws(CodecFailure) -> Bool {
    let head = try input.bytes(at: 0, count: 32)
    guard let kind = head.withUnsafeBufferPointer({ Block($0, at: 0)?.kind }) else { return false }
    let begin = max(0, length - Int64(Self.tailBytes))
    let bytes = try input.bytes(at: begin, count: Int(length - begin))
    return bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices.reversed() where bytes[place] == 0x77 {
        guard let block = Block(bytes, at: place), block.count > 0 else { continue }
        return block.end == frames && block.total == frames && block.kind == kind
      }
      return false
    }
  }

  private func step() throws(CodecFailure) {
    let bytes = try input.bytes(at: offset, count: 32)
    guard let block = bytes.withUnsafeBufferPointer({ Block($0, at: 0) }) else { return isOver = true }
    if block.count > 0, block.first == 0, offset > 0, hasEnded {
      next = offset
      return isOver = true
    }
    if block.count > 0, block.end >= frames { hasEnded = true }
    offset += block.bytes
  }

  private var hasEnded = false
}
