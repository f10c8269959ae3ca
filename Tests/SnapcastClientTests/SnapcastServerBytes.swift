// Messages of a Snapcast server, byte by byte. Test threads.

import PlaybackModel

@testable import SnapcastClient

/// Encodes a server's messages.
enum ServerBytes {
  static func message(
    _ type: UInt16, sent: Int64 = 0, refersTo: UInt16 = 0, size: Int? = nil, _ body: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in [type, 0, refersTo] { bytes.append(littleEndian: UInt64(word), bytes: 2) }
    SnapcastTime.append(sent, to: &bytes)
    SnapcastTime.append(0, to: &bytes)
    bytes.append(littleEndian: UInt64(size ?? body.count), bytes: 4)
    return bytes + body
  }

  static func counted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt64(text.utf8.count), bytes: 4)
    return bytes + Array(text.utf8)
  }

  static func settings(_ json: String) -> [UInt8] { message(3, counted(json)) }

  static func codec(_ name: String, _ head: [UInt8]) -> [UInt8] {
    var body = counted(name)
    body.append(littleEndian: UInt64(head.count), bytes: 4)
    return message(1, body + head)
  }

  static func pcm(_ rate: UInt32, _ bits: UInt16, _ channels: UInt16) -> [UInt8] {
    var head = Array("RIFF....WAVEfmt ".utf8)
    head.append(littleEndian: 16, bytes: 4)
    for word in [1, channels] { head.append(littleEndian: UInt64(word), bytes: 2) }
    head.append(littleEndian: UInt64(rate), bytes: 4)
    head.append(littleEndian: UInt64(rate * UInt32(channels) * UInt32(bits) / 8), bytes: 4)
    for word in [channels * bits / 8, bits] { head.append(littleEndian: UInt64(word), bytes: 2) }
    return codec("pcm", head + Array("data....".utf8))
  }

  static func chunk(at time: Int64, _ payload: [UInt8]) -> [UInt8] {
    var body: [UInt8] = []
    SnapcastTime.append(time, to: &body)
    body.append(littleEndian: UInt64(payload.count), bytes: 4)
    return message(2, body + payload)
  }

  /// A time response without network delay; the server's clock is `ahead` of the local one.
  static func time(at now: UInt64, ahead: Int64) -> [UInt8] {
    var body: [UInt8] = []
    SnapcastTime.append(ahead, to: &body)
    return message(4, sent: Int64(now) + ahead, body)
  }
}
