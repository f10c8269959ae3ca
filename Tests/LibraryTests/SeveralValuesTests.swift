// Tracks with multi-valued tags, in each kind of query. Test threads.

import Testing

@testable import Decoding
@testable import Library

@Suite struct SeveralValuesTests {
  private static let tags: [(TextTag, String)] = [
    (.title, "title"), (.artist, "artist"), (.album, "album"), (.albumArtist, "albumartist"),
    (.genre, "genre"),
    (.date, "date"),
  ]

  /// A duet, a track of each of its singers, and one without the tag.
  private static func bench(_ tag: TextTag) throws -> IndexBench {
    func track(_ name: String, _ values: [String]) -> MadeUpTrack {
      MadeUpTrack(path: "/music/\(name)", several: [tag: values])
    }
    return try IndexBench([
      track("duet", ["Nina", "Björk G", "Ann"]), track("one", ["Nina"]), track("two", ["Björk G"]),
      track("none", []), track("far", ["Nina, Ann"]),
    ])
  }

  @Test(arguments: tags) func everyValueIsFound(tag: TextTag, name: String) throws {
    let bench = try Self.bench(tag)
    let expected: [(LibraryVerb, [String], Set<String>)] = [
      (.find, [name, "Nina"], ["duet", "one"]), (.find, [name, "Björk G"], ["duet", "two"]),
      (.find, [name, "Ann"], ["duet"]), (.find, [name, "Björk"], []),
      (.find, [name, "Nina, Björk G, Ann"], []),
      (.find, [name, ""], ["none"]), (.find, [name, "nina"], []), (.find, ["any", "Ann"], ["duet"]),
      (.find, ["(\(name) != 'Ann')"], ["one", "two", "none", "far"]),
      (.find, ["(\(name) starts_with 'An')"], ["duet"]),
      (.find, ["(\(name) starts_with 'Bjö')"], ["duet", "two"]),
      (.find, ["(\(name) starts_with 'ina')"], []), (.find, ["(\(name) contains 'nn')"], ["duet", "far"]),
      (.find, ["((\(name) == 'Nina') AND (\(name) == 'Ann'))"], ["duet"]),
      (.search, ["ann"], ["duet", "far"]), (.search, ["björk"], ["duet", "two"]),
      (.search, ["a björk"], []), (.search, ["nina\u{1F}björk"], []),
      (.search, [name, "BJÖRK"], ["duet", "two"]),
      (.search, ["(\(name) == 'ann')"], ["duet"]), (.search, ["(\(name) starts_with 'AN')"], ["duet"]),
      (.find, ["(\(name) == 'Nina\u{1F}Björk G')"], []),
    ]
    // Dates are compared case-sensitively.
    for (verb, words, names) in expected
    where tag != .date || verb == .find || words.count == 1 && words[0].utf8.first != 0x28 {
      let found = try Set(bench.names(verb, words))
      #expect(found == names, "\(verb) \(words)")
    }
  }

  @Test(arguments: tags) func eachValueIsListedAndCounted(tag: TextTag, name: String) throws {
    let bench = try Self.bench(tag)
    let listed = try bench.ask(.list, [name])
    #expect(listed.rows.map { $0[name] ?? "-" } == ["", "Ann", "Björk G", "Nina", "Nina, Ann"])
    #expect(listed.total == 5)
    let counted = try bench.ask(.count, ["base", "", "group", name]).rows
    #expect(
      counted.map { "\($0[name] ?? "-")=\($0["tracks"] ?? "-")" } == [
        "=1", "Ann=1", "Björk G=2", "Nina=2", "Nina, Ann=1",
      ])
    #expect(try bench.ask(.count, ["base", ""]).rows.first?["tracks"] == "5")
    #expect(
      try bench.ask(.list, [name, "window", "1:3"]).rows.map { $0[name] ?? "-" } == ["Ann", "Björk G"])
    let summary = try bench.ask(.summary, []).rows.first
    #expect(summary?["artists"] == (tag == .artist ? "4" : "0") && summary?["tracks"] == "5")
    #expect(summary?["albums"] == (tag == .album ? "4" : "0"))
    // A deleted or rewritten track leaves no values behind.
    try bench.tell(MadeUpTrack(path: "/music/duet", several: [tag: ["Other", "New"]]))
    #expect(
      try bench.ask(.list, [name]).rows.map { $0[name] ?? "-" } == [
        "", "Björk G", "New", "Nina", "Nina, Ann", "Other",
      ])
    try bench.index.database.run("DELETE FROM track WHERE path = '/music/duet'")
    #expect(try bench.index.database.number("SELECT count(*) FROM value") == 0)
  }

  @Test(arguments: tags) func aTrackTellsEachValue(tag: TextTag, name: String) throws {
    let bench = try Self.bench(tag)
    let answer = try bench.index.answer(
      to: try LibraryQuestion(.files, ["/music/duet", "/music/one"]), within: ["/music"])
    guard case .rows(let rows, _)? = LibraryAnswer(answer.bytes) else { throw LibraryFault("\(answer)") }
    let found = rows.map { row in row.filter { $0.name.hasPrefix(name) }.map { "\($0.name)=\($0.value)" } }
    #expect(
      found == [
        [
          "\(name)=Nina, Björk G, Ann", "\(name)-values=Nina", "\(name)-values=Björk G", "\(name)-values=Ann",
        ],
        ["\(name)=Nina"],
      ])
  }

  /// Groups of multi-valued tags are all their combinations; an album without an album artist has the track's
  /// artist.
  @Test func groupsArePairs() throws {
    let bench = try IndexBench([
      MadeUpTrack(path: "/music/1", album: "X", several: [.artist: ["A", "B"], .genre: ["g", "h"]]),
      MadeUpTrack(path: "/music/2", album: "Y", several: [.artist: ["A", "B"], .albumArtist: ["V", "W"]]),
      MadeUpTrack(path: "/music/3", album: "Z", albumArtist: "V", several: [.artist: ["A", "B"]]),
    ])
    func pairs(_ words: [String], _ first: String, _ second: String) throws -> [String] {
      try bench.ask(.list, words).rows.map { "\($0[first] ?? "")/\($0[second] ?? "")" }
    }
    #expect(
      try pairs(["artist", "album", "X", "group", "genre"], "genre", "artist") == [
        "g/A", "g/B", "h/A", "h/B",
      ])
    #expect(
      try pairs(["album", "base", "", "group", "albumartist"], "albumartist", "album")
        == ["A/X", "B/X", "V/Y", "V/Z", "W/Y"])
    let counted = try bench.ask(.count, ["base", "", "group", "albumartist"]).rows
    #expect(counted.map { "\($0["albumartist"] ?? "")\($0["tracks"] ?? "")" } == ["A1", "B1", "V2", "W1"])
    #expect(try bench.names(.find, ["albumartist", "B"]) == ["1"])
    #expect(try bench.names(.find, ["albumartist", "W"]) == ["2"])
  }
}
