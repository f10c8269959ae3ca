// Messages of the Snapcast binary protocol: limits, encoding, and framing of the byte stream. Pure values; receiver's
// process, single thread.

import PlaybackModel

/// Limits on a server's messages, beyond which the connection is closed.
enum SnapcastLimits {
  /// Bytes of a message.
  static let message = 1 << 20
  /// Bytes of a message other than a Wire Chunk.
  static let document = 1 << 16
  /// Bytes of a codec name.
  static let name = 64
  /// Frames of a Wire Chunk: two seconds at the highest rate.
  static let maxFrames = 400_000
  /// Milliseconds from a chunk's timestamp to its playback.
  static let buffer = 0...10_000
}

/// Protocol times: a point in time or a duration, in nanoseconds.
enum SnapcastTime {
  /// Decodes 32-bit seconds and microseconds at an index.
  static func read(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int64 {
    let seconds = Int64(Int32(bitPattern: bytes.word32(place)))
    let micros = Int64(Int32(bitPattern: bytes.word32(place + 4)))
    return seconds * 1_000_000_000 + micros * 1000
  }

  /// Appends 32-bit seconds and microseconds.
  static func append(_ nanoseconds: Int64, to bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt64(bitPattern: nanoseconds / 1_000_000_000), bytes: 4)
    bytes.append(littleEndian: UInt64(bitPattern: nanoseconds / 1000 % 1_000_000), bytes: 4)
  }
}

/// A received message.
struct SnapcastMessage {
  /// The message types in use; others are ignored.
  enum Kind: UInt16 {
    case codecHeader = 1
    case wireChunk = 2
    case serverSettings = 3
    case time = 4
    case hello = 5
  }

  /// Size of the header in bytes.
  static let headBytes = 26

  /// The type; nil for an ignored one.
  let kind: Kind?
  /// The id of the request that this message answers.
  let refersTo: UInt16
  /// Send time by the server's clock, in nanoseconds.
  let sent: Int64
  /// The body, with indexes from 0.
  let body: [UInt8]

  /// Encodes a message.
  ///
  /// - Parameters:
  ///   - kind: The type.
  ///   - id: The message's number.
  ///   - now: The send time in nanoseconds.
  ///   - body: The body.
  static func bytes(_ kind: Kind, id: UInt16, at now: Int64, body: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(headBytes + body.count)
    for word in [kind.rawValue, id, 0] { bytes.append(littleEndian: UInt64(word), bytes: 2) }
    SnapcastTime.append(now, to: &bytes)
    SnapcastTime.append(0, to: &bytes)
    bytes.append(littleEndian: UInt64(body.count), bytes: 4)
    return bytes + body
  }
}

/// Reassembles messages from a byte stream.
struct SnapcastReader {
  private var rest: [UInt8] = []
  /// Index of the first unread byte.
  private var place = 0

  /// Appends received bytes.
  mutating func take(_ bytes: some Sequence<UInt8>) {
    rest.removeFirst(place)
    place = 0
    rest.append(contentsOf: bytes)
  }

  /// The next complete message; nil if more bytes are needed.
  ///
  /// - Throws: `SnapcastFailure` if a message exceeds its limit.
  mutating func next() throws(SnapcastFailure) -> SnapcastMessage? {
    let bytes = rest[place...]
    guard bytes.count >= SnapcastMessage.headBytes else { return nil }
    let size = bytes.length32(place + 22)
    let number = bytes.word16(place)
    let kind = SnapcastMessage.Kind(rawValue: number)
    let limit = kind == .wireChunk || kind == nil ? SnapcastLimits.message : SnapcastLimits.document
    guard size <= limit else {
      throw SnapcastFailure(
        "its server sends a message (type \(number)) of \(size) bytes; \(limit) are taken")
    }
    let end = place + SnapcastMessage.headBytes + size
    guard rest.count >= end else { return nil }
    let message = SnapcastMessage(
      kind: kind, refersTo: bytes.word16(place + 4), sent: SnapcastTime.read(bytes, place + 6),
      body: Array(rest[(place + SnapcastMessage.headBytes)..<end]))
    place = end
    return message
  }
}

extension ArraySlice<UInt8> {
  /// A 16-bit little-endian integer.
  func word16(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }
  /// A 32-bit little-endian integer.
  func word32(_ place: Int) -> UInt32 { UInt32(word16(place)) | UInt32(word16(place + 2)) << 16 }
  /// A 32-bit length, clamped to the range of Int.
  func length32(_ place: Int) -> Int { Int(clamping: word32(place)) }
}
