// Finds the ring index at which the sound of a stream's byte begins. Pure; worker process.

/// Byte offsets of a stream that the engine has asked about, and what of the stream has become which sound.
///
/// A codec reads a block, and makes sound of it until it reads the next one. So a byte's sound begins as far into the block's sound as
/// the byte lies in the block.
struct StreamMarks {
  /// A mark whose sound begins here.
  struct Passed: Equatable {
    let offset: UInt64
    let index: UInt64
  }

  /// Marks that wait at once; the oldest gives way.
  static let limit = 32

  /// Blocks that are remembered, for marks that come late.
  private static let blockLimit = 256

  /// A block that was read: one past its last byte, and the ring index at which its sound begins.
  private struct Block {
    let end: UInt64
    let index: UInt64
  }

  private var asked: [UInt64] = []
  private var blocks = [Block(end: 0, index: 0)]

  /// Whether nothing is asked.
  var isEmpty: Bool { asked.isEmpty }

  /// The engine asks about a byte.
  mutating func ask(_ offset: UInt64) {
    if asked.count == Self.limit { asked.removeFirst() }
    asked.append(offset)
  }

  /// The codec has read these bytes last, and sound up to a ring index was made before it did. Answers the marks whose sound is made.
  mutating func note(read bytes: Range<UInt64>, index: UInt64) -> [Passed] {
    let end = bytes.upperBound
    let last = blocks.last?.end
    // It has gone elsewhere.
    if end < last ?? .max { blocks = [Block(end: bytes.lowerBound, index: index)] }
    if end != last {
      if blocks.count == Self.blockLimit { blocks.removeFirst() }
      blocks.append(Block(end: end, index: index))
    }
    // How much sound the newest block makes is seen when the next one is read.
    return take(from: blocks.dropLast())
  }

  /// No more will be read: what was asked about begins with the last block at the latest.
  mutating func finish() -> [Passed] { take(from: blocks[...]) }

  /// The sound goes on elsewhere: what was read before is void.
  mutating func restart() { blocks = [] }

  private mutating func take(from known: ArraySlice<Block>) -> [Passed] {
    guard !asked.isEmpty, let end = known.last?.end else { return [] }
    let passed = asked.filter { $0 < end }.map { Passed(offset: $0, index: index(of: $0)) }
    asked.removeAll { $0 < end }
    return passed
  }

  /// Where the sound of a byte begins that lies in a block.
  private func index(of offset: UInt64) -> UInt64 {
    guard let place = blocks.firstIndex(where: { offset < $0.end }) else { return blocks.last?.index ?? 0 }
    let begin = blocks[place].index
    guard place > 0, place + 1 < blocks.count, blocks[place + 1].index > begin else { return begin }
    let start = blocks[place - 1].end
    let part = Double(offset - start) / Double(blocks[place].end - start)
    return begin + UInt64(part * Double(blocks[place + 1].index - begin))
  }
}
