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

  /// Bytes in which the last block begins, as a rule.
  private static let tailBytes = 1 << 18

  init(_ input: MediaInput, length: Int64, frames: Int64) {
    self.input = input
    self.length = length
    self.frames = frames
  }

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
    return bytes.withUnsafeBufferPointer { WavPackBlock($0, at: 0).map { $0.first == 0 && $0.count > 0 } }
      ?? false
  }

  /// Whether the last block of the file holds the stream's last frames.
  private func endsWithStream() throws(CodecFailure) -> Bool {
    let head = try input.bytes(at: 0, count: 32)
    guard let kind = head.withUnsafeBufferPointer({ WavPackBlock($0, at: 0)?.kind }) else { return false }
    let begin = max(0, length - Int64(Self.tailBytes))
    let bytes = try input.bytes(at: begin, count: Int(length - begin))
    return bytes.withUnsafeBufferPointer { bytes in
      for place in bytes.indices.reversed() where bytes[place] == 0x77 {
        guard let block = WavPackBlock(bytes, at: place), block.count > 0 else { continue }
        return block.end == frames && block.total == frames && block.kind == kind
      }
      return false
    }
  }

  private func step() throws(CodecFailure) {
    let bytes = try input.bytes(at: offset, count: 32)
    guard let block = bytes.withUnsafeBufferPointer({ WavPackBlock($0, at: 0) }) else { return isOver = true }
    if block.count > 0, block.first == 0, offset > 0, hasEnded {
      next = offset
      return isOver = true
    }
    if block.count > 0, block.end >= frames { hasEnded = true }
    offset += block.bytes
  }

  private var hasEnded = false
}
