// How a receiver that knows when its sound is to be heard hands it on: blocks of frames, each with a time, and a last word. Pure values; any
// thread. Belongs to no protocol.

/// The head of a block of interleaved stereo frames, Float32 in this machine's order, which follow it; or of the receiver's last word.
package struct TimedBlock: Hashable, Sendable {
  /// What follows a head.
  package enum Kind: UInt32, Sendable {
    /// Frames.
    case sound = 0x7342_7773
    /// A sentence on why there is no more, in UTF-8.
    case farewell = 0x6642_7773
  }

  /// Bytes of a head.
  package static var headBytes: Int { 24 }
  /// The most frames of a block, and the most bytes of a sentence.
  package static var maxFrames: Int { 8192 }

  /// What follows.
  package let kind: Kind
  /// Nanoseconds of the monotonic clock at which the first frame is to be heard.
  package let due: UInt64
  /// Frames of sound, or bytes of a sentence.
  package let count: Int
  /// The frames' rate, in Hz.
  package let rate: Int

  /// A block of frames.
  package init(due: UInt64, frames: Int, rate: Int) {
    (kind, self.due, count, self.rate) = (.sound, due, frames, rate)
  }

  private init(farewell count: Int) { (kind, due, self.count, rate) = (.farewell, 0, count, 0) }

  /// A receiver's last word with its head.
  package static func farewell(_ sentence: String) -> [UInt8] {
    let text = Array(sentence.utf8.prefix(maxFrames))
    return TimedBlock(farewell: text.count).bytes + text
  }

  /// Bytes that follow the head.
  package var bodyBytes: Int { kind == .sound ? count * 8 : count }

  /// The head.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headBytes)
    for word in [kind.rawValue, UInt32(rate), UInt32(count), 0] {
      bytes.append(littleEndian: UInt64(word), bytes: 4)
    }
    bytes.append(littleEndian: due, bytes: 8)
    return bytes
  }

  /// Reads a head; nil for what cannot be one.
  package init?(_ bytes: UnsafeRawBufferPointer) {
    guard bytes.count >= Self.headBytes else { return nil }
    func word(_ place: Int) -> UInt32 {
      UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 4 * place, as: UInt32.self))
    }
    guard let kind = Kind(rawValue: word(0)), word(2) <= UInt32(Self.maxFrames), word(1) <= 192_000 else {
      return nil
    }
    self.kind = kind
    rate = Int(word(1))
    count = Int(word(2))
    due = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: 16, as: UInt64.self))
    guard kind == .farewell || LiveFormat.rates.contains(rate) else { return nil }
  }
}
