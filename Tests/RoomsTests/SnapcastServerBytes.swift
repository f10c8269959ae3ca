// What a Snapcast server sends, byte for byte. Test threads.

@testable import Rooms

/// Makes a server's messages.
enum ServerBytes {
  static func message(
    _ type: UInt16, sent: Int64 = 0, refersTo: UInt16 = 0, size: Int? = nil, _ body: [UInt8]
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    for word in [type, 0, refersTo] { bytes.append(word16: word) }
    SnapcastTime.append(sent, to: &bytes)
    SnapcastTime.append(0, to: &bytes)
    bytes.append(word32: UInt32(size ?? body.count))
    return bytes + body
  }

  static func counted(_ text: String) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append(word32: UInt32(text.utf8.count))
    return bytes + Array(text.utf8)
  }

  static func settings(_ json: String) -> [UInt8] { message(3, counted(json)) }

  static func codec(_ name: String, _ head: [UInt8]) -> [UInt8] {
    var body = counted(name)
    body.append(word32: UInt32(head.count))
    return message(1, body + head)
  }

  static func pcm(_ rate: UInt32, _ bits: UInt16, _ channels: UInt16) -> [UInt8] {
    var head = Array("RIFF....WAVEfmt ".utf8)
    head.append(word32: 16)
    for word in [1, channels] { head.append(word16: word) }
    head.append(word32: rate)
    head.append(word32: rate * UInt32(channels) * UInt32(bits) / 8)
    for word in [channels * bits / 8, bits] { head.append(word16: word) }
    return codec("pcm", head + Array("data....".utf8))
  }

  static func chunk(at time: Int64, _ payload: [UInt8]) -> [UInt8] {
    var body: [UInt8] = []
    SnapcastTime.append(time, to: &body)
    body.append(word32: UInt32(payload.count))
    return message(2, body + payload)
  }

  /// An answer about the time, on a way that takes none; the server's clock shows `ahead` more than ours.
  static func time(at now: UInt64, ahead: Int64) -> [UInt8] {
    var body: [UInt8] = []
    SnapcastTime.append(ahead, to: &body)
    return message(4, sent: Int64(now) + ahead, body)
  }
}
