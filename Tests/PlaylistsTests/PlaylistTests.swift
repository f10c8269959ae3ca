// Playlists and old encodings, parsed without a worker. Test threads.

import Playlists
import Testing

@Suite struct PlaylistTests {
  private func entries(_ bytes: [UInt8]) throws -> [String] {
    try PlaylistReader().contents(of: bytes, isCut: false).entries.map(\.path)
  }

  @Test(arguments: [
    ("a.mp3\nb.flac\n", ["a.mp3", "b.flac"]),
    ("\u{FEFF}#EXTM3U\r\n#EXTINF:3,Some – Title\r\n  x y.wav \r\n\r\n/abs/z.ogg", ["x y.wav", "/abs/z.ogg"]),
    ("[playlist]\nFile2=b\nFile1=a\nTitle1=no\nFile10=c\nNumberOfEntries=3\n", ["a", "b", "c"]),
    ("[Playlist]\r\nfile1 = not numbered\r\nFILE3=x\r\nFile=y\r\nFile99999999=z\r\n", ["x"]),
    (
      "<?xml version='1.0'?><!-- <track> --><playlist><trackList>\n<track>\n<location>a%20b.wav</location></track>"
        + "<track><title>no</title></track><track id='2'><location>\n file:///x/&#xFC;%20y.ogg </location>"
        + "<location>z</location></track><track><location><![CDATA[c&<d.mp3]]></location></track>",
      ["a b.wav", "file:///x/ü%20y.ogg", "c&<d.mp3"]
    ),
    (
      "<asx><entry><ref href='a&amp;b'/></entry><Entry><REF HREF=c&#228;.mp3></Entry></asx>",
      ["a&b", "cä.mp3"]
    ),
    // Text that starts like media files with embedded sheets.
    ("OggS by night.mp3\nb.mp3\n", ["OggS by night.mp3", "b.mp3"]), ("fLaC.flac\n", ["fLaC.flac"]),
    ("ID3.mp3\nID3 2.mp3", ["ID3.mp3", "ID3 2.mp3"]),
    ("", []), ("\n\n#only\n# comments", []), ("[playlist]", []),
  ])
  func formats(_ text: String, _ expected: [String]) throws {
    #expect(try entries(Array(text.utf8)) == expected)
  }

  @Test func latin1IsUnderstood() throws {
    #expect(try entries([0x66, 0xFC, 0x72, 0x2E, 0x6D, 0x70, 0x33]) == ["für.mp3"])
  }

  /// Playlists in legacy encodings, and their entries. Lines in UTF-8 are not converted.
  static let legacy: [([UInt8], [String])] = [
    // Western European with typographic quotes.
    ([0x44, 0x6F, 0x6E, 0x92, 0x74, 0x20, 0xE9, 0x2E, 0x6D, 0x70, 0x33], ["Don’t é.mp3"]),
    ([0x93, 0x45, 0x94, 0x20, 0x84, 0xD6, 0x2E, 0x6D, 0x70, 0x33], ["“E” „Ö.mp3"]),
    // Cyrillic, with a name in capitals and one with io.
    (
      [0xCF, 0xE5, 0xF1, 0xED, 0xFF, 0x2E, 0x6D, 0x70, 0x33, 0x0A, 0xB8, 0xEB, 0xEA, 0xE0, 0x0A, 0x61],
      ["Песня.mp3", "ёлка", "a"]
    ),
    // Japanese: hiragana, katakana, and kanji with a backslash as its second byte.
    ([0x82, 0xA4, 0x82, 0xBD, 0x2E, 0x6D, 0x70, 0x33], ["うた.mp3"]),
    ([0x83, 0x5C, 0x83, 0x93, 0x83, 0x4F], ["ソング"]), ([0x93, 0xFA, 0x96, 0x7B, 0x8C, 0xEA], ["日本語"]),
    // UTF-8 beside Western European.
    ([0xC3, 0xBC, 0x0A, 0xFC, 0x0A], ["ü", "ü"]),
  ]

  @Test(arguments: legacy) func oldEncodingsAreConverted(_ bytes: [UInt8], _ expected: [String]) throws {
    #expect(try entries(bytes) == expected)
  }

  @Test(arguments: [true, false], [true, false]) func utf16IsConverted(isBig: Bool, hasMark: Bool) throws {
    let units = Array(((hasMark ? "\u{FEFF}" : "") + "#EXTM3U\r\nü 🎵.mp3\r\nb.mp3").utf16)
    var bytes = units.flatMap {
      isBig ? [UInt8($0 >> 8), UInt8($0 & 0xFF)] : [UInt8($0 & 0xFF), UInt8($0 >> 8)]
    }
    #expect(try entries(bytes) == ["ü 🎵.mp3", "b.mp3"])
    // The last character is incomplete.
    bytes.removeLast()
    #expect(try entries(bytes) == ["ü 🎵.mp3", "b.mp"])
  }

  @Test func everythingIsBounded() throws {
    let many = String(repeating: "x.mp3\n", count: 20_000)
    #expect(try entries(Array(many.utf8)).count == 10_000)
    let long = String(repeating: "y", count: 5000) + "\nz.mp3\n"
    #expect(try entries(Array(long.utf8)) == ["z.mp3"])
    let endless = [UInt8](repeating: 0x61, count: 3 << 20)
    #expect(try entries(endless).isEmpty)
  }

  @Test(arguments: 0..<20) func noiseIsNoHarm(_ seed: UInt64) throws {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1
    let noise = (0..<4096).map { _ -> UInt8 in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 33)
    }
    #expect { try entries(noise) } throws: { ($0 as? PlaylistFailure)?.kind == .malformed }
    let printable = noise.filter { $0 >= 0x20 || $0 == 0x0A }
    for entry in try entries(printable) { #expect(!entry.unicodeScalars.contains { $0.value < 0x20 }) }
  }

  /// Each line of a binary file would become a missing track.
  @Test(arguments: [
    [0x49, 0x44, 0x33, 0x04, 0x00, 0x00, 0x00, 0x00, 0x0A, 0x41],
    Array("\u{1}\u{2}\u{3}\nabc\n".utf8), Array("a.mp3\u{0}\nb.mp3\n".utf8),
  ])
  func whatIsNoTextIsNoPlaylist(_ bytes: [UInt8]) {
    #expect {
      try entries(bytes)
    } throws: {
      ($0 as? PlaylistFailure)?.sentence.contains("not text") == true
    }
  }

  @Test func aTextMayEndAsTheyDidOnce() throws {
    #expect(try entries(Array("a.mp3\n\u{1A}".utf8)).first == "a.mp3")
  }

  /// The last line may be incomplete, and then it would be a wrong path.
  @Test func theLastLineOfACutPlaylistIsDropped() throws {
    for cut in ["", "b", "b.m", "bü"] {
      let contents = try PlaylistReader().contents(of: Array("ä.mp3\n\(cut)".utf8), isCut: true)
      #expect(contents.entries.map(\.path) == ["ä.mp3"] && contents.isCut)
    }
    let half = Array("ä.mp3\nü".utf8.dropLast())
    #expect(try PlaylistReader().contents(of: half, isCut: true).entries.map(\.path) == ["ä.mp3"])
  }

  /// Stations' lists are read without converters.
  @Test func withoutConvertersTextIsLatin1() throws {
    let reader = PlaylistReader(convertsEncodings: false)
    let bytes = Array("ü.mp3\n".utf8) + [0xE9, 0x2E, 0x6D, 0x70, 0x33]
    #expect(try reader.contents(of: bytes, isCut: false).entries.map(\.path) == ["ü.mp3", "é.mp3"])
  }
}
