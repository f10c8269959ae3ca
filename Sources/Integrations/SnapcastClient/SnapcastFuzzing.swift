// Fuzzing entry point for the Snapcast client. Not used by the daemon.

import PlaybackModel

/// Feeds arbitrary bytes to the parser of server messages.
package enum SnapcastFuzzing {
  private static let codecs = SnapcastCodecs()

  /// Processes `bytes` in small pieces as a server's messages, with a synchronized clock. Traps only on a bug of the
  /// client.
  package static func server(_ bytes: [UInt8]) {
    var now: UInt64 = 60_000_000_000
    var session = SnapcastSession(SnapcastIdentity(host: "box", id: "box"), codecs, at: now)
    do throws(SnapcastFailure) {
      let time = SnapcastMessage.bytes(.time, id: 1, at: Int64(now), body: [UInt8](repeating: 0, count: 8))
      for _ in 0..<10 { try session.take(time, at: now) }
      for first in stride(from: 0, to: bytes.count, by: 61) {
        now += 1_000_000
        try session.take(bytes[first..<min(first + 61, bytes.count)], at: now)
        try session.pass(now)
        check(session.takeSound())
      }
    } catch {
      precondition(!error.sentence.utf8.isEmpty, "a failure has a sentence")
    }
  }

  private static func check(_ sound: [UInt8]) {
    sound.withUnsafeBytes { bytes in
      var place = 0
      while place < bytes.count {
        guard let head = TimedBlock(UnsafeRawBufferPointer(rebasing: bytes[place...])) else {
          preconditionFailure("a block has a head")
        }
        place += TimedBlock.headBytes + head.bodyBytes
      }
      precondition(place == bytes.count, "a block is whole")
    }
  }
}
