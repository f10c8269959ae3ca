// Entries for a coverage-guided fuzzer. Not used by a box.

import PlaybackModel

/// Feeds arbitrary bytes to what reads a server's messages.
package enum SnapcastFuzzing {
  private static let codecs = SnapcastCodecs()

  /// Reads `bytes` as what a server sends, some at a time, to a room that knows its clock. Traps on a fault of the receiver's own only.
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
