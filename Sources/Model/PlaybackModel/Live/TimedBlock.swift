// Framing between the player and a receiver process whose audio has playback times: blocks of frames with a time, and a
// final error message. Internal to Swiftlet. Pure values; any thread.

/// Header of a block of interleaved stereo frames (Float32 in native byte order), or of the receiver's final message.
package struct TimedBlock: Hashable, Sendable {
  /// What follows the header.
  package enum Kind: UInt32, Sendable {
    /// Frames.
    case sound = 0x7342_7773
    /// The reason for the end of the stream, as a UTF-8 sentence.
    case farewell = 0x6642_7773
  }

  /// Size of the header in bytes.
  package static var headBytes: Int { 24 }
  /// Maximum frames per block, and maximum bytes of the message.
  package static var maxFrames: Int { 8192 }

  /// What follows the header.
  package let kind: Kind
  /// Playback time of the first frame, in nanoseconds of the monotonic clock.
  package let due: UInt64
  /// Number of frames, or bytes of the message.
  package let count: Int
  /// Sample rate of the frames in Hz.
  package let rate: Int

  /// Header of a block of frames.
  package init(due: UInt64, frames: Int, rate: Int) {
    (kind, self.due, count, self.rate) = (.sound, due, frames, rate)
  }

  private init(farewell count: Int) { (kind, due, self.count, rate) = (.farewell, 0, count, 0) }

  /// The final message with its header.
  package static func farewell(_ sentence: String) -> [UInt8] {
    let text = Array(sentence.utf8.prefix(maxFrames))
    return TimedBlock(farewell: text.count).bytes + text
  }

  /// Bytes that follow the header.
  package var bodyBytes: Int { kind == .sound ? count * 8 : count }

  /// The encoded header.
  package var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Self.headBytes)
    for word in [kind.rawValue, UInt32(rate), UInt32(count), 0] {
      bytes.append(littleEndian: UInt64(word), bytes: 4)
    }
    bytes.append(littleEndian: due, bytes: 8)
    return bytes
  }

  /// Decodes a header; nil if it is invalid.
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
