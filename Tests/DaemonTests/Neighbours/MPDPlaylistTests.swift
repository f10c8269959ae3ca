// Saved playlists as clients of MPD see and change them, beside what Debian's mpd can be compared with. Test threads.

import Testing

@testable import Simulator

@Suite struct MPDPlaylistTests {
  @Test func whoWaitsHearsOfPlaylists() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    #expect(client.ask("idle stored_playlist") == "")
    _ = bench.bench.ask("playlist add A short")
    #expect(client.take() == "changed: stored_playlist\nOK\n")
    #expect(client.ask("listplaylists") == "playlist: A\nOK\n")
  }

  @Test func theBoxsPlaylistsAreListedBesideTheMusic() throws {
    let storage = Bench.storage()
    storage.folders["/music"] = 2
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    _ = client.ask("save A")
    _ = client.ask("playlistadd A short")
    let listing = client.ask("lsinfo")
    #expect(listing.hasSuffix("playlist: A\nOK\n"), "\(listing)")
    #expect(!client.ask("listfiles").contains("playlist: A"))
  }

  @Test func songsAreFoundInTheQueueAndInPlaylists() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for name in ["short", "long"] {
      _ = client.ask("add \(name)")
      _ = client.ask("playlistadd A \(name)")
    }
    #expect(client.ask("playlistfind file long").hasPrefix("file: long\n"))
    #expect(client.ask("playlistsearch \"(file contains 'OR')\"").hasPrefix("file: short\n"))
    #expect(
      client.ask("playlistfind artist x") == "OK\n"
        && client.ask("playlistfind artist").hasPrefix("ACK [2@0]"))
    #expect(
      client.ask("playlistfind \"(file contains 'o')\" sort Title window 1:").hasPrefix("file: long\nPos: 1"))
    #expect(client.ask("searchplaylist A file ON") == "file: long\nOK\n")
    #expect(client.ask("searchplaylist A \"(file contains 'o')\" 0:1") == "file: short\nOK\n")
    #expect(client.ask("searchplaylist nowhere file ON").hasPrefix("ACK [50@0]"))
    #expect(client.ask("searchaddpl A artist x").hasPrefix("ACK "))
  }

  /// What MPD has since 0.24.
  @Test func savingAppendsAndReplaces() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("add long")
    #expect(client.ask("save A append").hasPrefix("ACK [50@0]"))
    #expect(client.ask("save A") == "OK\n" && client.ask("save A create").hasPrefix("ACK [56@0]"))
    #expect(client.ask("save A append") == "OK\n")
    #expect(client.ask("listplaylist A") == "file: long\nfile: long\nOK\n")
    #expect(client.ask("save A replace") == "OK\n")
    #expect(client.ask("listplaylist A") == "file: long\nOK\n")
    #expect(client.ask("save A other").hasPrefix("ACK [2@0]"))
  }

  @Test(arguments: [
    ("1:3 0", "2 3 1 4"), ("0:2 2", "3 4 1 2"), ("0:2 1", "3 1 2 4"), ("2:4 1", "1 3 4 2"), ("1:1 0", nil),
    ("0:3 2", nil),
    ("0 0", "1 2 3 4"), ("3 0", "4 1 2 3"), ("0 3", "2 3 4 1"),
  ])
  func rangesMove(_ words: String, _ order: String?) throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for number in 1...4 { _ = client.ask("playlistadd A http://radio.example/\(number)") }
    let answer = client.ask("playlistmove A \(words)")
    #expect(answer == "OK\n" || (order == nil && answer.hasPrefix("ACK [2@0]")), "\(answer)")
    var lines = ""
    for number in (order ?? "1 2 3 4").split(separator: " ") {
      lines += "file: http://radio.example/\(number)\n"
    }
    #expect(client.ask("listplaylist A") == lines + "OK\n")
  }

  @Test(arguments: [
    ("load A", "1 2 3 4"), ("load A 0:", "1 2 3 4"), ("load A 1:3", "2 3"), ("load A 3", "4"),
    ("load A 2:9", "3 4"),
    ("load A 4:9", ""), ("load A 9:", ""), ("load A 1:1", ""), ("load A 3:1", nil), ("load A x", nil),
  ])
  func partsAreLoaded(_ line: String, _ order: String?) throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for number in 1...4 { _ = client.ask("playlistadd A http://radio.example/\(number)") }
    let answer = client.ask(line)
    #expect(answer == "OK\n" || (order == nil && answer.hasPrefix("ACK [2@0]")), "\(answer)")
    #expect(Self.numbers(client) == order ?? "")
  }

  @Test func whatIsLoadedStandsAtItsPlace() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    for number in 1...3 { _ = client.ask("playlistadd A http://radio.example/\(number)") }
    _ = client.ask("add long")
    #expect(client.ask("load A 1: 0") == "OK\n" && Self.numbers(client) == "2 3 long")
    #expect(client.ask("load A 0:1 9").hasPrefix("ACK [2@0]"))
    _ = client.ask("play 2")
    bench.clock.run(seconds: 1)
    #expect(client.ask("load A 0:1 +0") == "OK\n" && Self.numbers(client) == "2 3 long 1")
    #expect(client.ask("load A 0:1 -0") == "OK\n" && Self.numbers(client) == "2 3 1 long 1")
    // Of nothing, nothing is loaded, and that is no error.
    _ = client.ask("playlistclear A")
    #expect(client.ask("load A") == "OK\n" && client.ask("load nowhere").hasPrefix("ACK [50@0]"))
  }

  /// The last parts of what is in the queue.
  private static func numbers(_ client: MPDWire) -> String {
    client.ask("playlist").split(separator: "\n").dropLast().map {
      $0.split { "/: ".contains($0) }.last ?? ""
    }
    .joined(separator: " ")
  }

  /// The index of the music knows what the playlist does not.
  @Test func songsOfPlaylistsHaveTagsAndLengths() throws {
    let index = FakeIndex()
    index.know(
      "/music/long",
      [
        "title": "T", "artist": "A", "albumartist": "B", "genre": "Jazz", "date": "1999", "disc": "2",
        "length": "12.600", "modified": "2026-01-01T00:00:00Z", "format": "44100:16:2",
      ])
    let bench = try MPDBench(Bench.storage("set library.enabled on\n"), library: index)
    let client = bench.greeted()
    for name in ["short", "long", "long"] { _ = client.ask("playlistadd A \(name)") }
    let long =
      "file: long\nLast-Modified: 2026-01-01T00:00:00Z\nFormat: 44100:16:2\nArtist: A\nAlbumArtist: B\nTitle: T\n"
      + "Genre: Jazz\nDate: 1999\nDisc: 2\nTime: 13\nduration: 12.600\n"
    #expect(client.ask("listplaylistinfo A") == "file: short\n" + long + long + "OK\n")
    #expect(client.ask("searchplaylist A genre jaz") == long + long + "OK\n")
    #expect(client.ask("playlistlength A") == "songs: 3\nplaytime: 25\nOK\n")
    #expect(client.ask("listplaylist A") == "file: short\nfile: long\nfile: long\nOK\n")
    #expect(index.state.withLock { $0.questions.last } == "/library /music files /music/short|/music/long")
    _ = bench.bench.ask("set library.enabled off")
    #expect(client.ask("playlistlength A") == "songs: 3\nplaytime: 0\nOK\n")
  }

  /// Clients see tags and lengths of songs that were never opened.
  @Test func theQueueHasWhatTheIndexKnows() throws {
    let index = FakeIndex()
    let facts: KeyValuePairs = [
      "title": "T", "artist": "A", "genre": "Jazz", "length": "12.600", "modified": "2026-01-01T00:00:00Z",
    ]
    index.know("/music/long", facts)
    let bench = try MPDBench(Bench.storage("set library.enabled on\n"), library: index)
    let client = bench.greeted()
    _ = client.ask("add short", "add long", "add http://radio.example/1")
    let long =
      "file: long\nLast-Modified: 2026-01-01T00:00:00Z\nArtist: A\nTitle: T\nGenre: Jazz\nTime: 13\nduration: 12.600\n"
    #expect(client.ask("playlistinfo 1") == long + "Pos: 1\nId: 2\nOK\n")
    #expect(client.ask("playlistfind genre Jazz") == long + "Pos: 1\nId: 2\nOK\n")
    // Each file is asked about once.
    let asked = index.state.withLock { $0.questions.count }
    _ = client.ask("add long", "add short", "playlistinfo")
    #expect(
      client.ask("playlistinfo 3").hasPrefix(long) && index.state.withLock { $0.questions.count } == asked)
    // What the index learns changes the queue.
    index.know("/music/short", ["title": "S", "modified": "2026-01-02T00:00:00Z"])
    let version = try #require(client.field("playlist"))
    #expect(client.ask("plchangesposid \(version)") == "OK\n")
    _ = bench.bench.ask("library update")
    bench.clock.run(seconds: 1)
    #expect(client.ask("playlistinfo 4").contains("Title: S\n"))
    #expect(client.ask("plchangesposid \(version)").contains("cpos: 4\n"))
    _ = bench.bench.ask("set library.enabled off")
    #expect(client.ask("playlistinfo 1") == "file: long\nPos: 1\nId: 2\nOK\n")
  }

  /// An index that does not answer keeps the queue from nobody.
  @Test func withoutAnAnswerTheQueueIsShownAsItIs() throws {
    let index = FakeIndex()
    index.state.withLock { $0.isSilent = true }
    let bench = try MPDBench(Bench.storage("set library.enabled on\n"), library: index)
    let client = bench.greeted()
    _ = client.ask("add long")
    #expect(client.ask("playlistinfo").hasPrefix("file: long\n"))
    #expect(client.ask("playlistadd A long") == "OK\n")
    #expect(client.ask("listplaylistinfo A") == "file: long\nOK\n")
  }

  /// Longer than one page of the box's answers.
  @Test func longPlaylistsAreListedWhole() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    _ = client.ask("playlistadd A http://radio.example/1")
    for _ in 0..<9 { _ = bench.bench.ask("playlist add A playlist:A") }
    let listed = client.ask("listplaylist A")
    #expect(listed.split(separator: "\n").count == 513)
    #expect(
      client.ask("listplaylist A 510:") == "file: http://radio.example/1\nfile: http://radio.example/1\nOK\n")
    #expect(client.ask("listplaylistinfo A 600:").hasPrefix("ACK [2@0]"))
  }
}
