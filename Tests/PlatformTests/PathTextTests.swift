// File names that are not UTF-8: displayed with replacement characters, opened exactly. Test threads.

import Foundation
import Platform
import Testing

@Suite struct PathTextTests {
  private func bytes(_ path: String) -> [UInt8] {
    path.withPath { pointer in
      Array(UnsafeBufferPointer(start: pointer, count: strlen(pointer))).map { UInt8(bitPattern: $0) }
    }
  }

  @Test func everyNameComesBack() {
    var seed: UInt64 = 7
    func random(_ count: UInt64) -> UInt64 {
      seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (seed >> 33) % count
    }
    // Complete characters, truncated ones, single bytes, and the private characters that represent bytes.
    let parts: [[UInt8]] = [
      Array("a/b c".utf8), Array("ä夜🎵".utf8), [0xE4], [0xC3], [0xE5, 0xA4], [0xF0, 0x9F], [0xFF, 0xFE],
      Array("\u{EF80}\u{EFFF}".utf8), [0xED, 0xA0, 0x80], [0xC0, 0x80],
    ]
    for _ in 0..<5000 {
      let name = (0..<random(6)).flatMap { _ in parts[Int(random(UInt64(parts.count)))] }
      #expect(bytes(String(pathBytes: name)) == name)
    }
  }

  @Test func whatIsUTF8IsText() {
    for text in ["", "/srv/music/Früh 夜.flac", "a"] {
      #expect(String(pathBytes: Array(text.utf8)) == text && bytes(text) == Array(text.utf8))
    }
  }

  @Test func aStandInIsShown() {
    let name = String(pathBytes: Array("fr".utf8) + [0xFC] + Array("h.wav".utf8))
    #expect(name.printable() == "fr\u{FFFD}h.wav")
  }
}
