// The results of queries on a real index of generated tracks. Test threads.

import Testing

@testable import Library

@Suite struct LibraryQueryTests {
  private let bench: IndexBench

  init() throws {
    bench = try IndexBench([
      MadeUpTrack(
        path: "/music/Jazz/2 Blue.flac", title: "Blue", artist: "Nina", album: "One", number: 2,
        genre: "Vocal Jazz",
        date: "1958-03", disc: 2, seconds: 200),
      MadeUpTrack(
        path: "/music/Jazz/10 Red.flac", title: "Red \"Hot\"", artist: "Nina", album: "One", number: 10,
        genre: "Jazz",
        date: "1958", disc: 10),
      MadeUpTrack(
        path: "/music/Jazz/Live/1.flac", title: "Blue", artist: "NINA", album: "Live's",
        albumArtist: "Various"),
      MadeUpTrack(path: "/music/Ärger/Ж.flac", title: "Çeva", artist: "Ólafur Жук", album: "Εννέα"),
      MadeUpTrack(path: "/music/Harbour song.flac"),
      MadeUpTrack(path: "/media/stick/far.flac", title: "Far", artist: "Nina"),
      MadeUpTrack(path: "/music2/other.flac", artist: "Nina"),
      MadeUpTrack(path: "/music/bad.mp3", fault: "It is no music."),
    ])
  }

  @Test func fiftyAreListedUnlessAWindowAsksForOthers() throws {
    let many = try IndexBench(
      (1...60).map { MadeUpTrack(path: "/music/\($0).flac", title: "T", artist: "Many") })
    for (words, count) in [
      ([], 50), (["window", "0:60"], 60), (["window", "50:60"], 10), (["window", "0:7"], 7),
    ] {
      let found = try many.ask(.find, ["artist", "Many"] + words)
      #expect(found.rows.count == count && found.total == 60, "\(words)")
    }
  }

  @Test func filesAreFoundByTheirPaths() throws {
    let paths = [
      "/music/Jazz/2 Blue.flac", "/music/bad.mp3", "/music2/other.flac", "/music/Harbour song.flac", "Jazz",
    ]
    let answer = try bench.index.answer(to: try LibraryQuestion(.files, paths), within: ["/music"])
    guard case .rows(let rows, total: 2) = answer else { throw LibraryFault("\(answer)") }
    let found = rows.map { row in row.filter { ["path", "length"].contains($0.name) }.map { $0.value } }
    #expect(found == [["/music/Harbour song.flac", "1.000"], ["/music/Jazz/2 Blue.flac", "200.000"]])
    #expect(throws: LibraryFault.self) {
      try LibraryQuestion(.files, Array(repeating: "/music/x", count: LibraryWindow.maxCount + 1))
    }
  }

  /// For names without their root, only the part below the root is searched: `us` is in `/music`, and in none
  /// of these.
  @Test(arguments: [
    (["(file contains 'us')"], []), (["(file contains 'ed')"], ["10 Red.flac"]),
    (["(file contains 'RED')"], []), (["(file contains '/music/Jazz/Live')"], ["1.flac"]),
    (["(file contains '/Live')"], ["1.flac"]), (["(file starts_with 'Jazz/L')"], ["1.flac"]),
    (["(!(file contains 'azz'))"], ["Harbour song.flac", "Ж.flac"]),
  ]) func partsOfPathsAreFound(words: [String], names: [String]) throws {
    #expect(try bench.names(.find, words) == names)
  }

  @Test(arguments: [("RED", ["10 Red.flac"]), ("us", []), ("live", ["1.flac"])])
  func searchingPathsLooksAtNoCapitals(word: String, names: [String]) throws {
    #expect(try bench.names(.search, ["file", word]) == names)
  }

  @Test(arguments: [
    (["artist", "Nina"], ["2 Blue.flac", "10 Red.flac"]),
    (["artist", "nina"], []),
    (["artist", "Nina", "title", "Blue"], ["2 Blue.flac"]),
    (["(artist == 'Nina')", "title", "Blue"], ["2 Blue.flac"]),
    (["((artist == \"Nina\") AND (!(title == 'Blue')))"], ["10 Red.flac"]),
    (["(title == \"Red \\\"Hot\\\"\")"], ["10 Red.flac"]),
    (["(album == \"Live's\")"], ["1.flac"]),
    (["(title contains 'lu')"], ["2 Blue.flac", "1.flac"]),
    (["(title starts_with 'R')"], ["10 Red.flac"]),
    (["(title !contains 'lu')", "base", "Jazz"], ["10 Red.flac"]),
    (["base", "Jazz"], ["2 Blue.flac", "10 Red.flac", "1.flac"]),
    (["base", "Jazz/"], ["2 Blue.flac", "10 Red.flac", "1.flac"]),
    (["base", "/music/Jazz/Live"], ["1.flac"]),
    (["base", "Jaz"], []),
    (["folder", "Jazz"], ["2 Blue.flac", "10 Red.flac"]),
    (["folder", ""], ["Harbour song.flac"]),
    (["file", "Jazz/2 Blue.flac"], ["2 Blue.flac"]),
    (["albumartist", "Various"], ["1.flac"]),
    (["albumartist", "Nina"], ["2 Blue.flac", "10 Red.flac"]),
    (["artist", ""], ["Harbour song.flac"]),
    (["genre", "Rock"], []), (["genre", "Jazz"], ["10 Red.flac"]), (["date", "1958-03"], ["2 Blue.flac"]),
    (["(date starts_with '1958')"], ["2 Blue.flac", "10 Red.flac"]), (["disc", "2"], ["2 Blue.flac"]),
    (["artist", "Nina", "sort", "disc"], ["2 Blue.flac", "10 Red.flac"]),
    (["artist", "Nina", "sort", "-date"], ["2 Blue.flac", "10 Red.flac"]),
    (["any", "Jazz"], ["10 Red.flac"]),
    (["any", "10"], ["10 Red.flac"]), (["any", "2"], ["2 Blue.flac"]),
    (["track", "10"], ["10 Red.flac"]),
    (["any", "Live's"], ["1.flac"]),
    (["modified-since", "2030-01-01"], []),
    (["modified-since", "1700000003"], ["Harbour song.flac", "Ж.flac"]),
    (["AudioFormat", "44100:16:2", "base", "Jazz/Live"], ["1.flac"]),
    (["AudioFormat", "48000:*:*"], []),
    (["base", ".", "sort", "-title", "window", "0:2"], ["Ж.flac", "10 Red.flac"]),
    (["base", ".", "window", "1:3"], ["2 Blue.flac", "10 Red.flac"]),
    (["base", ".", "window", "4:"], ["Ж.flac"]),
    (["artist", "Nina", "sort", "track"], ["2 Blue.flac", "10 Red.flac"]),
    (["artist", "Nina", "sort", "-modified"], ["10 Red.flac", "2 Blue.flac"]),
    (["artist", "'; DROP TABLE track; --"], []),
  ]) func findsExactly(words: [String], names: [String]) throws {
    #expect(try bench.names(.find, words) == names)
  }

  @Test(arguments: [
    (["blue"], ["2 Blue.flac", "1.flac"]), (["NINA"], ["2 Blue.flac", "10 Red.flac", "1.flac"]),
    (["ólafur жУК"], ["Ж.flac"]), (["ΕΝΝΈΑ"], ["Ж.flac"]), (["çEVA"], ["Ж.flac"]),
    (["harbour"], ["Harbour song.flac"]), (["JAZZ"], ["2 Blue.flac", "10 Red.flac"]),
    (["genre", "vocal"], ["2 Blue.flac"]),
    (["artist", "nin", "album", "on"], ["2 Blue.flac", "10 Red.flac"]),
    (["window"], []), (["sort"], []), (["%"], []), (["_"], []),
    (["(artist == 'NINA')"], ["2 Blue.flac", "10 Red.flac", "1.flac"]),
  ]) func searchesWithoutCapitals(words: [String], names: [String]) throws {
    #expect(try bench.names(.search, words) == names)
  }

  @Test(arguments: [
    ([], "what is to be looked for is missing"), (["artist"], "'artist' wants a value"),
    (["colour", "blue"], "'colour' is no tag"), (["(artist == 'x'"], "')' is missing at character 15"),
    (["(artist == x)"], "a value in quotes is missing at character 12"),
    (["(artist == 'x"], "second quote"), (["(artist ~ 'x')"], "'~' is none of"),
    (["(artist =~ 'x')"], "regular expressions"), (["((artist == 'x') OR (album == 'y'))"], "'AND' or ')'"),
    (["(artist == 'x')y"], "something follows"), (["()"], "the name of a tag"),
    (["artist", "x", "window", "3:1"], "'3:1' is no window"),
    (["artist", "x", "window", "-1:2"], "no window"),
    (["artist", "x", "sort", "colour"], "'colour' is nothing to sort by"),
    (["added-since", "soon"], "'soon' is no time"), (["AudioFormat", "loud"], "'loud' is no format"),
    ([String(repeating: "(", count: 40)], "too many brackets"),
    (Array(repeating: "x", count: 70), "no more than 64 words"),
  ]) func saysWhatIsWrong(words: [String], text: String) {
    #expect(throws: LibraryFault.self) { try LibraryQuestion(.find, words) }
    do { _ = try LibraryQuestion(.find, words) } catch {
      #expect(error.sentence.contains(text), "\(error.sentence)")
    }
  }

  @Test func listsValuesWithinGroups() throws {
    func values(_ words: [String]) throws -> [[String: String]] { try bench.ask(.list, words).rows }
    #expect(try values(["artist"]).map { $0["artist"] } == ["", "NINA", "Nina", "Ólafur Жук"])
    #expect(try values(["album", "artist", "Nina"]).map { $0["album"] } == ["One"])
    #expect(try values(["album", "Nina"]).map { $0["album"] } == ["One"])
    #expect(
      try values(["album", "base", "Jazz", "group", "albumartist"]) == [
        ["albumartist": "Nina", "album": "One"], ["albumartist": "Various", "album": "Live's"],
      ])
    #expect(
      try values(["genre", "artist", "Nina", "group", "disc"]).map { $0["genre"] } == ["Jazz", "Vocal Jazz"])
    #expect(try bench.ask(.list, ["artist", "window", "1:2"]).total == 4)
    #expect(throws: LibraryFault.self) { try bench.ask(.list, ["colour"]) }
    #expect(throws: LibraryFault.self) { try bench.ask(.list, []) }
  }

  @Test func countsAndSums() throws {
    #expect(try bench.ask(.count, ["artist", "Nina"]).rows == [["tracks": "2", "length": "201.000"]])
    #expect(try bench.ask(.count, []).rows == [["tracks": "5", "length": "204.000"]])
    #expect(
      try bench.ask(.count, ["base", "Jazz", "group", "artist"]).rows == [
        ["artist": "NINA", "tracks": "1", "length": "1.000"],
        ["artist": "Nina", "tracks": "2", "length": "201.000"],
      ])
    let summary = try bench.ask(.summary, []).rows[0]
    #expect(summary["tracks"] == "5" && summary["artists"] == "3" && summary["unreadable"] == "1")
  }

  /// Tracks on a stick are found while the stick is present; a root is not matched as a prefix of another
  /// root's name.
  @Test func onlyWhatIsThereIsFound() throws {
    #expect(
      try bench.names(.find, ["artist", "Nina"], within: ["/music", "/media/stick"]).contains("far.flac"))
    #expect(!(try bench.names(.find, ["artist", "Nina"]).contains("other.flac")))
    #expect(try bench.names(.find, ["title", "Far"]) == [])
    #expect(try bench.names(.find, ["title", "Far"], within: []) == [])
    #expect(try bench.names(.find, ["any", "Nina"], within: ["/"]).count == 4)
  }

  @Test func whatCannotBeReadIsTold() throws {
    let faults = try bench.ask(.faults, [])
    #expect(faults.rows == [["path": "/music/bad.mp3", "reason": "It is no music."]] && faults.total == 1)
    #expect(try bench.names(.find, ["base", "."]).contains("bad.mp3") == false)
  }
}
