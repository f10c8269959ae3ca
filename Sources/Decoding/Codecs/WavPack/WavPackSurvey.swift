// Finds the end of a WavPack stream in a file by the headers of its blocks. Worker process only.

import CodecSupport

/// Steps from block to block until the stream's last frame.
final class WavPackSurvey {
  private let input: MediaInput
  private let length: Int64
  private let frames: Int64
  private var hasLooked = false
  private var offset: Int64 = 0
  /// Whether the search is finished.
  private(set) var isOver = false
  /// Offset of another stream that follows; nil if there is none.
  private(set) var next: Int64?

  /// Bytes at the end of the file that are searched for the last block.
  private static let tailBytes = 1 << 18

  init(_ input: MediaInput, length: Int64, frames: Int64) {
    self.input = input
    self.length = length
    self.frames = frames
  }

  /// Reads about `bytes` bytes.
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

  /// Whether a stream begins at an offset.
  func isStream(at offset: Int64) throws(CodecFailure) -> Bool {
    let bytes = try input.bytes(at: offset, count: 32)
    return bytes.withUnsafeBufferPointer { WavPackBlock($0, at: 0).map { $0.first == 0 && $0.count > 0 } }
      ?? false
  }

  /// Whether the file's last block contains the stream's last frames.
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
