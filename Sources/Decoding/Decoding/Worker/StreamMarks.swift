// Finds the ring index at which the audio of a stream's byte begins. Pure; worker process only.

/// Byte offsets that the engine has asked about, and a map from blocks of bytes to ring indexes.
///
/// A codec reads a block of bytes, then produces frames from it until it reads the next block. The ring index
/// of a byte is interpolated within its block.
struct StreamMarks {
  /// An answered mark: a byte offset and the ring index of its audio.
  struct Passed: Equatable {
    let offset: UInt64
    let index: UInt64
  }

  /// Maximum number of pending marks; the oldest is evicted.
  static let limit = 32

  /// Number of blocks kept, for marks that arrive late.
  private static let blockLimit = 256

  /// A block that was read: the offset after its last byte, and the ring index at which its audio begins.
  private struct Block {
    let end: UInt64
    let index: UInt64
  }

  private var asked: [UInt64] = []
  private var blocks = [Block(end: 0, index: 0)]

  /// Whether no marks are pending.
  var isEmpty: Bool { asked.isEmpty }

  /// Adds a mark.
  mutating func ask(_ offset: UInt64) {
    if asked.count == Self.limit { asked.removeFirst() }
    asked.append(offset)
  }

  /// Records a block.
  ///
  /// - Parameters:
  ///   - bytes: The bytes that the codec read last.
  ///   - index: The ring index of the first frame produced after that.
  /// - Returns: The marks that can be answered now.
  mutating func note(read bytes: Range<UInt64>, index: UInt64) -> [Passed] {
    let end = bytes.upperBound
    let last = blocks.last?.end
    // The reader has moved to another position.
    if end < last ?? .max { blocks = [Block(end: bytes.lowerBound, index: index)] }
    if end != last {
      if blocks.count == Self.blockLimit { blocks.removeFirst() }
      blocks.append(Block(end: end, index: index))
    }
    // The end of the newest block's audio is known only when the next block is read.
    return take(from: blocks.dropLast())
  }

  /// Answers the remaining marks at the end of the stream; those in the last block get its beginning.
  mutating func finish() -> [Passed] { take(from: blocks[...]) }

  /// Discards all blocks, after a seek.
  mutating func restart() { blocks = [] }

  private mutating func take(from known: ArraySlice<Block>) -> [Passed] {
    guard !asked.isEmpty, let end = known.last?.end else { return [] }
    let passed = asked.filter { $0 < end }.map { Passed(offset: $0, index: index(of: $0)) }
    asked.removeAll { $0 < end }
    return passed
  }

  /// The ring index of a byte, interpolated within its block.
  private func index(of offset: UInt64) -> UInt64 {
    guard let place = blocks.firstIndex(where: { offset < $0.end }) else { return blocks.last?.index ?? 0 }
    let begin = blocks[place].index
    guard place > 0, place + 1 < blocks.count, blocks[place + 1].index > begin else { return begin }
    let start = blocks[place - 1].end
    let part = Double(offset - start) / Double(blocks[place].end - start)
    return begin + UInt64(part * Double(blocks[place + 1].index - begin))
  }
}
