// Cue sheets, parsed without a worker. Test threads.

import PlaybackModel
import Playlists
import Testing

@Suite struct CueSheetTests {
  private func entries(_ text: String) throws -> [PlaylistEntry] { try entries(Array(text.utf8)) }

  private func entries(_ bytes: [UInt8]) throws -> [PlaylistEntry] {
    try PlaylistReader().contents(of: bytes, isCut: false).entries
  }

  @Test func aSheetNamesThePartsOfAFile() throws {
    let found = try entries(
      """
      REM GENRE Jazz
      REM DATE 1999
      PERFORMER "The Band"
      TITLE "The Album"
      FILE "album.flac" WAVE
        TRACK 01 AUDIO
          TITLE "One"
          INDEX 01 00:00:00
        TRACK 02 AUDIO
          TITLE Two
          PERFORMER "Somebody \u{00E9}lse"
          FLAGS DCP
          INDEX 00 03:10:10
          INDEX 01 03:12:74
          INDEX 02 04:00:00
        TRACK 03 AUDIO
          INDEX 01 100:00:00
      """)
    let second = (3 * 60 + 12) * 75 + 74
    #expect(found.map(\.path) == ["album.flac", "album.flac", "album.flac"])
    #expect(found.map(\.title) == ["One", "Two", nil])
    #expect(found.map(\.artist) == ["The Band", "Somebody élse", "The Band"])
    #expect(found.map(\.album) == ["The Album", "The Album", "The Album"])
    #expect(found.map(\.albumArtist) == ["The Band", "The Band", "The Band"])
    #expect(found.map(\.genre) == ["Jazz", "Jazz", "Jazz"] && found.map(\.date) == ["1999", "1999", "1999"])
    #expect(found.map(\.trackNumber) == [1, 2, 3])
    #expect(
      found.map(\.section) == [
        FileSection(start: 0, end: second), FileSection(start: second, end: 100 * 60 * 75),
        FileSection(start: 100 * 60 * 75, end: nil),
      ])
  }

  @Test func trackNumbersAndKeywordsAreTakenAsTheyCome() throws {
    let found = try entries("file a b.wav wave\r\ntrack 7 audio\r\nindex 1 0:2:3\r\n")
    #expect(found.map(\.path) == ["a b.wav"] && found.first?.trackNumber == 7)
    #expect(found.first?.section == FileSection(start: 2 * 75 + 3, end: nil))
  }

  @Test func quotesWithinQuotesBelongToTheText() throws {
    let found = try entries(
      "TITLE \"The \"Best\" of\"\nFILE \"a \"b\".wav\" WAVE\nTRACK 01 AUDIO\nTITLE \"One \"two\"\"\nINDEX 01 00:00:00\n"
    )
    #expect(found.map(\.path) == ["a \"b\".wav"])
    #expect(found.map(\.album) == ["The \"Best\" of"] && found.map(\.title) == ["One \"two\""])
  }

  @Test(
    arguments: [
      ([0x83, 0x5C, 0x83, 0x93, 0x83, 0x4F], "ソング"), ([0xCF, 0xE5, 0xF1, 0xED, 0xFF], "Песня"),
      ([0xC9, 0x74, 0xE9], "Été"),
    ] as [([UInt8], String)]) func titlesInOldEncodingsAreConverted(bytes: [UInt8], title: String) throws
  {
    let found = try entries(
      Array("FILE \"a.wav\" WAVE\nTRACK 01 AUDIO\nTITLE \"".utf8) + bytes
        + Array("\"\nINDEX 01 00:00:00\n".utf8))
    #expect(found.map(\.title) == [title])
  }

  @Test func filesFollowEachOther() throws {
    // The second track's pregap is at the end of the first file, as some rippers cut.
    let found = try entries(
      """
      FILE "1.wav" WAVE
      TRACK 01 AUDIO
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 00 00:10:00
      FILE "2.wav" WAVE
      INDEX 01 00:00:00
      """)
    #expect(found.map(\.path) == ["1.wav", "2.wav"])
    #expect(found.map(\.section) == [FileSection(start: 0, end: nil), FileSection(start: 0, end: nil)])
  }

  @Test func whatIsNoMusicOrHasNoRoomIsPassedOver() throws {
    let found = try entries(
      """
      FILE "x.bin" BINARY
      TRACK 01 MODE1/2352
      INDEX 01 00:00:00
      TRACK 02 AUDIO
      INDEX 01 00:10:00
      TRACK 03 AUDIO
      INDEX 01 00:10:00
      TRACK 04 AUDIO
      INDEX 01 00:60:00
      TRACK 05 AUDIO
      """)
    #expect(found.map(\.trackNumber) == [3])
  }

  @Test func everythingIsBounded() throws {
    let long = String(repeating: "ü", count: 1000)
    let many = (0..<3000).map {
      "TRACK 01 AUDIO\nTITLE \"\(long.prefix($0 < 3 ? 1000 : 1))\"\nINDEX 01 00:00:\($0 % 75)"
    }
    let found = try entries("FILE \"a.wav\" WAVE\n" + many.joined(separator: "\n"))
    #expect(!found.isEmpty && found.count <= 999)
    #expect(found.allSatisfy { $0.title?.utf8.count ?? 0 < 256 })
    #expect(found.first?.title?.allSatisfy { $0 == "ü" } == true)
  }

  @Test func latin1IsUnderstood() throws {
    let sheet =
      Array("FILE a.wav WAVE\nTRACK 1 AUDIO\nTITLE \"f".utf8) + [0xFC] + Array("r\"\nINDEX 01 0:0:0".utf8)
    #expect(try entries(sheet).first?.title == "für")
  }
}
