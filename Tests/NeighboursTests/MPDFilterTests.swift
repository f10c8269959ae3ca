// Which songs of a queue a filter means, by MPD's rules. Test threads.

import Testing

@testable import Neighbours

@Suite struct MPDFilterTests {
  private static func found(_ words: [String], isSearch: Bool = false) throws -> [String] {
    let songs: [(file: String, tags: [MPDTag: String])] = [
      ("Albums/a.flac", [.artist: "Band", .title: "Blue Moon", .album: "One"]),
      ("Albums/b.flac", [.artist: "band", .title: "Moon \"Song\""]), ("lone.flac", [:]),
    ]
    let filter = try MPDFilterReader.filter(of: words[...], isSearch: isSearch)
    return songs.filter { song in
      filter.matches(file: song.file, ignoresCase: isSearch) { song.tags[$0] }
    }.map { String($0.file.dropLast(5).suffix(1)) }
  }

  @Test(
    arguments: [
      (["artist", "Band"], ["a"]), (["artist", ""], ["e"]),
      (["ARTIST", "Band", "title", "Blue Moon"], ["a"]),
      (["any", "One"], ["a"]), (["file", "lone.flac"], ["e"]), (["base", "Albums"], ["a", "b"]),
      (["genre", ""], ["a", "b", "e"]), (["genre", "x"], []), (["(artist == 'Band')"], ["a"]),
      (["(artist != 'Band')"], ["b", "e"]), (["(title contains 'Moon')"], ["a", "b"]),
      (["((title contains 'Moon') AND (!(album == \"One\")))"], ["b"]),
      (["(title == 'Moon \\\"Song\\\"')"], ["b"]),
      (["(base 'Albums')", "title", "Blue Moon"], ["a"]), (["(title starts_with 'Blue')"], ["a"]),
    ] as [([String], [String])])
  func whatIsFound(_ words: [String], _ names: [String]) throws { #expect(try Self.found(words) == names) }

  @Test func searchingTakesPartsInAnyLetters() throws {
    #expect(try Self.found(["artist", "BAN"], isSearch: true) == ["a", "b"])
    #expect(try Self.found(["any", "song"], isSearch: true) == ["b"])
    #expect(try Self.found(["(artist == 'BAND')"], isSearch: true) == ["a", "b"])
  }

  @Test(arguments: [
    ["artist"], ["nothing", "x"], ["(artist"], ["(artist == x)"], ["(artist == 'x'"],
    ["((artist == 'x') OR (album == 'y'))"],
    ["(artist == 'x') " + "x"], ["(artist =~ 'x')"], [String(repeating: "(", count: 40)], ["()"], ["(!)"],
  ])
  func whatIsNoFilterIsRefused(_ words: [String]) {
    #expect(throws: MPDRefusal.self) { try MPDFilterReader.filter(of: words[...], isSearch: false) }
  }
}
