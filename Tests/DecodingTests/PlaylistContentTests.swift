// Playlists where music is expected: the error says what the content is. Test threads.

import Testing

@testable import Decoding

@Suite struct PlaylistContentTests {
  private static func utf16(_ text: String, isBig: Bool) -> [UInt8] {
    (isBig ? [0xFE, 0xFF] : [0xFF, 0xFE])
      + text.utf16.flatMap { unit in
        let bytes = [UInt8(unit & 0xFF), UInt8(unit >> 8)]
        return isBig ? bytes.reversed() : bytes
      }
  }

  @Test(arguments: [false, true]) func textInUTF16IsNamed(isBig: Bool) {
    let sentence = Sniffer.playlist(Self.utf16("#EXTM3U\nhttp://radio.example/", isBig: isBig))
    #expect(sentence?.contains("UTF-16") == true)
  }

  @Test(arguments: ["#EXTM3U\n", "#extm3u8", "[Playlist]\nFile1=", "<?xml version=", "<asx>", "http://h/x\n"])
  func playlistsAreNamed(text: String) {
    #expect(Sniffer.playlist(Array(text.utf8))?.contains("is a playlist") == true)
  }

  @Test(
    arguments: [[], [0xFF, 0xFE], [0xFF, 0xFB, 0x90, 0x44], Array("RIFF".utf8), [0xFF, 0xFE, 0x23, 0x44]]
      as [[UInt8]])
  func otherContentIsNot(bytes: [UInt8]) {
    #expect(Sniffer.playlist(bytes) == nil)
  }
}
