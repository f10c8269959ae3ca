// The songs of a queue that a filter matches, by MPD's rules. Test threads.

import Testing

@testable import Integrations

@Suite struct MPDFilterTests {
  private static func found(_ words: [String], isSearch: Bool = false) throws -> [String] {
    let songs: [(file: String, tags: [MPDTag: String])] = [
      ("Albums/a.flac", [.artist: "Band", .title: "Blue Moon", .album: "One"]),
      ("Albums/b.flac", [.artist: "band", .title: "Moon \"Song\""]), ("lone.flac", [:]),
    ]
    let filter = try MPDFilterReader.filter(of: words[...], isSearch: isSearch)
    return songs.filter { song in
      let file = MPDFilter.File(
        name: song.file, modified: "2026-11-23T10:00:00Z", format: "44100:16:2")
      return filter.matches(file, ignoresCase: isSearch) { song.tags[$0].map { [$0] } ?? [] }
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
      (["albumartist", "Band"], ["a"]), (["albumartist", ""], ["e"]),
      (["modified-since", "2026-11-23"], ["a", "b", "e"]), (["(modified-since '2026-11-24T00:00:00Z')"], []),
      (["(AudioFormat == '44100:16:2')"], ["a", "b", "e"]), (["(AudioFormat =~ '*:24:*')"], []),
    ] as [([String], [String])])
  func whatIsFound(_ words: [String], _ names: [String]) throws { #expect(try Self.found(words) == names) }

  @Test func searchingTakesPartsInAnyLetters() throws {
    #expect(try Self.found(["artist", "BAN"], isSearch: true) == ["a", "b"])
    #expect(try Self.found(["any", "song"], isSearch: true) == ["b"])
    #expect(try Self.found(["(artist == 'BAND')"], isSearch: true) == ["a", "b"])
  }

  /// `ä` has two encodings; MPD matches only the one in the query.
  @Test(arguments: ["artist", "(artist == '%')", "file", "base"], ["\u{E4}", "a\u{308}"])
  func namesAreComparedAsBytes(_ condition: String, _ wanted: String) throws {
    let words =
      condition.contains("%") ? [condition.replacing("%", with: wanted)] : [condition, wanted]
    let filter = try MPDFilterReader.filter(of: words[...], isSearch: false)
    for name in ["\u{E4}", "a\u{308}"] {
      let isFound = filter.matches(MPDFilter.File(name: name), ignoresCase: false) { _ in [name] }
      #expect(isFound == name.utf8.elementsEqual(wanted.utf8))
    }
  }

  @Test(arguments: [
    ("nothing|x", "Unknown filter type"), ("(nothing == 'x')", "Unknown filter type: nothing"),
    ("artist", "Incorrect number of filter arguments"), ("(artist", "'==' or '!=' expected"),
    ("(artist == x)", "Quoted string expected"), ("(artist == 'x", "Closing quote not found"),
    ("(artist == 'x'", "')' expected"), ("(artist == 'x') y", "Unparsed garbage after expression"),
    ("((artist == 'x') OR (artist == 'y'))", "'AND' expected"), ("()", "Word expected"),
    ("(!x)", "'(' expected"), ("base|../x", "Bad URI"), ("(AudioFormat 'x')", "'==' or '=~' expected"),
  ])
  func refusalsHaveMPDsWords(_ words: String, _ text: String) {
    let words = words.split(separator: "|").map { String($0) }
    do throws(MPDRefusal) {
      _ = try MPDFilterReader.filter(of: words[...], isSearch: false)
      Issue.record("'\(words)' is a filter")
    } catch {
      #expect(error == MPDRefusal(.argument, text))
    }
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
