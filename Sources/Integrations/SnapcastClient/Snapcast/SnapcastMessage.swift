// Messages of the Snapcast protocol, as they lie in the stream of bytes. Pure values; one thread of the receiver's process.

import PlaybackModel

/// What a server may send at most: beyond that it is no server of rooms.
enum SnapcastLimits {
  /// Bytes of a message.
  static let message = 1 << 20
  /// Bytes of a message that is a document.
  static let document = 1 << 16
  /// Bytes of a codec's name.
  static let name = 64
  /// Frames of a piece of sound: two seconds at the highest rate.
  static let maxFrames = 400_000
  /// Milliseconds from a piece's time until it is heard.
  static let buffer = 0...10_000
}

/// A moment of a clock, or a length of time, in nanoseconds.
enum SnapcastTime {
  /// Reads seconds and microseconds.
  static func read(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int64 {
    let seconds = Int64(Int32(bitPattern: bytes.word32(place)))
    let micros = Int64(Int32(bitPattern: bytes.word32(place + 4)))
    return seconds * 1_000_000_000 + micros * 1000
  }

  /// Appends seconds and microseconds.
  static func append(_ nanoseconds: Int64, to bytes: inout [UInt8]) {
    bytes.append(littleEndian: UInt64(bitPattern: nanoseconds / 1_000_000_000), bytes: 4)
    bytes.append(littleEndian: UInt64(bitPattern: nanoseconds / 1000 % 1_000_000), bytes: 4)
  }
}

/// One message.
struct SnapcastMessage {
  /// What messages are; others are passed over.
  enum Kind: UInt16 {
    case codecHeader = 1
    case wireChunk = 2
    case serverSettings = 3
    case time = 4
    case hello = 5
  }

  /// Bytes before the body.
  static let headBytes = 26

  /// Nil for one that this receiver has no use for.
  let kind: Kind?
  /// The number of the message that this one answers.
  let refersTo: UInt16
  /// When it was sent, by the server's clock.
  let sent: Int64
  /// Begins at index 0.
  let body: [UInt8]

  /// The bytes of a message that is sent at a time.
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

/// Makes messages of bytes that come in pieces of any length.
struct SnapcastReader {
  private var rest: [UInt8] = []
  /// Where what has not been read begins.
  private var place = 0

  /// Takes bytes that have come.
  mutating func take(_ bytes: some Sequence<UInt8>) {
    rest.removeFirst(place)
    place = 0
    rest.append(contentsOf: bytes)
  }

  /// The next message that has come completely; nil where more is to come.
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
  /// Two bytes, the lower one first.
  func word16(_ place: Int) -> UInt16 { UInt16(self[place]) | UInt16(self[place + 1]) << 8 }
  /// Four bytes, the lowest one first.
  func word32(_ place: Int) -> UInt32 { UInt32(word16(place)) | UInt32(word16(place + 2)) << 16 }
  /// Four bytes as a length: one that this machine cannot count is the longest that it can.
  func length32(_ place: Int) -> Int { Int(clamping: word32(place)) }
}
