// Worker protocol, written independently of the engine's own encoder so that invalid messages can be built. Pure.

/// Message from a worker to the engine, as bytes.
struct Wire {
  private(set) var bytes: [UInt8] = []

  init(tag: UInt32) { put(tag) }

  mutating func put(_ value: UInt32) {
    for shift in 0..<4 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt32(8 * shift))) }
  }

  mutating func put(_ value: UInt64) {
    put(UInt32(truncatingIfNeeded: value))
    put(UInt32(truncatingIfNeeded: value >> 32))
  }

  /// Appends a text field of `size` bytes, the first `count` of them filled with `byte` and the rest zero.
  mutating func put(_ byte: UInt8, count: Int, size: Int) {
    for place in 0..<size { bytes.append(place < count ? byte : 0) }
  }

  /// Sizes of a text field and of a failure's text, in bytes.
  static let text = 256
  static let sentence = 512

  /// Properties of a stream; lengths may be `noLength`.
  struct Stream {
    var rate: UInt32
    var channels: UInt32 = 2
    var bits: UInt32 = 16
    var isFloat: UInt32 = 0
    var areIntegers: UInt32 = 0
    var holdsSheet: UInt32 = 0
    var sourceFrames: UInt64
    var totalFrames: UInt64
    var bytes = noLength
    var canSeek: UInt32 = 1
    var isSandboxed: UInt32 = 1
    var trackNumber: UInt32 = 0
    var discNumber: UInt32 = 0
    /// Gain and peak of track and album; NaN is unknown.
    var loudness: [UInt32] = [0x7FC0_0000, 0x7FC0_0000, 0x7FC0_0000, 0x7FC0_0000]
    var letter: UInt8 = 0x61
    var letters = 3
  }

  static let noLength = UInt64(bitPattern: Int64.min)

  static func opened(_ stream: Stream) -> [UInt8] {
    var wire = Wire(tag: 1)
    for value in [
      stream.rate, stream.channels, stream.bits, stream.isFloat, stream.areIntegers, stream.holdsSheet,
    ] {
      wire.put(value)
    }
    wire.put(stream.sourceFrames)
    wire.put(stream.totalFrames)
    wire.put(stream.bytes)
    for value in [stream.canSeek, stream.isSandboxed, stream.trackNumber, stream.discNumber] + stream.loudness
    {
      wire.put(value)
    }
    // Format and codec, then one value for each text tag.
    for _ in 0..<2 { wire.put(stream.letter, count: stream.letters, size: text) }
    for _ in 0..<6 {
      wire.put(1 as UInt32)
      wire.put(UInt32(stream.letters))
      wire.put(stream.letter, count: stream.letters, size: stream.letters)
    }
    return wire.bytes
  }

  static func ready(_ index: UInt64, _ position: UInt64) -> [UInt8] {
    var wire = Wire(tag: 2)
    wire.put(index)
    wire.put(position)
    return wire.bytes
  }

  /// A `seeked` (tag 3) or `ended` (tag 4) message.
  static func answer(_ tag: UInt32, _ generation: UInt32, _ index: UInt64, _ position: UInt64) -> [UInt8] {
    var wire = Wire(tag: tag)
    wire.put(generation)
    wire.put(index)
    wire.put(position)
    return wire.bytes
  }

  static func failed(_ kind: UInt32, letter: UInt8, letters: Int) -> [UInt8] {
    var wire = Wire(tag: 5)
    wire.put(kind)
    wire.put(letter, count: letters, size: sentence)
    return wire.bytes
  }

  /// A `needs`, `violated` or `listed` message, which carry one number.
  static func number(_ tag: UInt32, _ number: UInt32) -> [UInt8] {
    var wire = Wire(tag: tag)
    wire.put(number)
    return wire.bytes
  }

  /// Seek request of the engine; generation 0 if there was none.
  struct Seek {
    var generation: UInt32 = 0
    var position: UInt64 = 0
    var index: UInt64 = 0

    init() {}

    /// Parses a packet of the engine; nil if it is not a seek.
    init?(_ bytes: ArraySlice<UInt8>) {
      let bytes = Array(bytes)
      func number(_ place: Int, _ count: Int) -> UInt64 {
        (0..<count).reduce(0) { $0 | UInt64(bytes[place + $1]) << UInt64(8 * $1) }
      }
      guard bytes.count == 24, number(0, 4) == 1 else { return nil }
      (generation, position, index) = (UInt32(number(4, 4)), number(8, 8), number(16, 8))
    }
  }
}
