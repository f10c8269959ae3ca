// Decodes a Snapcast server's settings for this client, and encodes the client's Hello. Pure values; receiver's
// process, single thread.

import PlaybackModel

/// The contents of a Server Settings message.
struct SnapcastSettings: Hashable {
  /// Milliseconds from a chunk's timestamp to its playback.
  var buffer = 1000
  /// Milliseconds by which this client must play earlier.
  var latency = 0
  /// Volume, 0 to 100.
  var volume = 100
  var isMuted = false

  init() {}

  /// Parses a message's body. Missing members keep their defaults.
  ///
  /// - Throws: `SnapcastFailure` if the body is malformed or a value is out of range.
  init(_ body: [UInt8]) throws(SnapcastFailure) {
    guard body.count >= 4, body[...].length32(0) == body.count - 4 else {
      throw Self.failure("its length is wrong")
    }
    var scanner = ObjectScanner(body[4...])
    guard
      scanner.read({ name, value in
        switch name {
        case "bufferMs": if let number = value.number { buffer = number }
        case "latency": if let number = value.number { latency = number }
        case "volume": if let number = value.number { volume = number }
        case "muted": isMuted = value == .yes
        default: break
        }
      })
    else { throw Self.failure("it is no JSON object") }
    guard SnapcastLimits.buffer.contains(buffer) else {
      throw Self.failure("bufferMs is \(buffer), not 0 to 10000")
    }
    guard (-10_000...10_000).contains(latency) else {
      throw Self.failure("latency is \(latency), not -10000 to 10000")
    }
    volume = min(max(0, volume), 100)
  }

  private static func failure(_ what: String) -> SnapcastFailure {
    SnapcastFailure("its server sends Server Settings that cannot be read: " + what)
  }

  /// The factor for samples, with the exponential curve of snapclient.
  var gain: Float {
    if isMuted { return 0 }
    // Computes 10^(volume/100) without pow(): the constant is the hundredth root of ten.
    var power = 1.0
    for _ in 0..<volume { power *= 1.023_292_992_280_754_1 }
    return volume == 100 ? 1 : Float((power - 1) / 9)
  }
}

/// The identity that the client reports to the server.
package struct SnapcastIdentity: Hashable, Sendable {
  /// The host name, shown by control apps.
  package let host: String
  /// The unique id by which a server recognizes the client.
  package let id: String

  /// Creates an identity. Characters other than letters, digits, `-`, `.` and `_` are removed.
  package init(host: String, id: String) {
    self.host = Self.plain(host)
    self.id = Self.plain(id)
  }

  private static func plain(_ text: String) -> String {
    let bytes = text.utf8.filter {
      switch $0 {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
      default: false
      }
    }
    return bytes.isEmpty ? "box" : String(decoding: bytes.prefix(64), as: UTF8.self)
  }

  /// The body of a Hello message.
  var hello: [UInt8] {
    let text =
      "{\"Arch\":\"\",\"ClientName\":\"Swiftlet\",\"HostName\":\"" + host + "\",\"ID\":\"" + id
      + "\",\"Instance\":1,\"MAC\":\"00:00:00:00:00:00\",\"OS\":\"Linux\",\"SnapStreamProtocolVersion\":2,"
      + "\"Version\":\"0.26.0\"}"
    var bytes: [UInt8] = []
    bytes.append(littleEndian: UInt64(text.utf8.count), bytes: 4)
    return bytes + Array(text.utf8)
  }
}
