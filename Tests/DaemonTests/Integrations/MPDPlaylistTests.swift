// Saved playlists as MPD clients see and change them, apart from what is compared with Debian's mpd. Test
// threads.

import Platform
import Testing

@testable import Library
@testable import Simulator

@Suite struct MPDPlaylistTests {
  @Test func whoWaitsHearsOfPlaylists() throws {
    let bench = try MPDBench()
    let client = bench.greeted()
    #expect(client.ask("idle stored_playlist") == "")
    _ = bench.bench.ask("playlist add A short")
    #expect(client.take() == "changed: stored_playlist\nOK\n")
    let lists = client.ask("listplaylists")
    #expect(lists.hasPrefix("playlist: A\nLast-Modified: 2027-01-15T12:00:0") && lists.hasSuffix("Z\nOK\n"))
  }

  /// Each command that changes a playlist updates its modification time; renaming keeps it.
  @Test(arguments: [
    ("playlistadd A long", true), ("playlistadd A long 0", true), ("playlistclear A", true),
    ("playlistdelete A 0", true), ("playlistmove A 0 1", true), ("save A append", true),
    ("save A replace", true),
    ("rename A B", false), ("listplaylist A", false), ("load A", false),
  ]) func aPlaylistHasTheTimeOfItsLastChange(command: String, isChange: Bool) throws {
    let storage = Bench.storage()
    storage.folders["/music"] = SimulatedFolder(entries: [])
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    _ = client.ask("playlistadd A short", "playlistadd A long")
    func time() -> String? { client.field("Last-Modified", of: "listplaylists") }
    let before = try #require(time())
    bench.clock.run(seconds: 5)
    let (answer, after) = (client.ask(command), time())
    #expect(!answer.hasPrefix("ACK") && (after != before) == isChange, "\(answer)")
    // The time is also listed by `lsinfo` and kept across a power cut.
    let listed = client.field("Last-Modified", of: "lsinfo")
    #expect(listed == after)
    bench.clock.run(seconds: 1)
    bench.bench.pullThePlug()
    let again = try MPDBench(bench.bench.machine.storage)
    let kept = again.greeted().field("Last-Modified", of: "listplaylists")
    #expect(kept == after)
  }

  /// Modification times in each listing, with and without an index.
  @Test(arguments: [false, true]) func listingsHaveTimes(hasIndex: Bool) throws {
    let storage = Bench.storage(hasIndex ? "set library.enabled on\n" : "")
    let times: [Int64] = [1_800_000_001, 1_800_000_002, 1_800_000_003]
    storage.folders["/music"] = SimulatedFolder(entries: [
      DirectoryEntry(name: "Albums", isDirectory: true, modified: times[0]),
      DirectoryEntry(name: "a.flac", isDirectory: false, modified: times[1]),
      DirectoryEntry(name: "mix.m3u", isDirectory: false, modified: times[2]),
    ])
    storage.folders["/music/Albums"] = SimulatedFolder(entries: [])
    let bench = try MPDBench(storage, library: hasIndex ? FakeIndex() : nil)
    let client = bench.greeted()
    func line(_ second: Int) -> String { "Last-Modified: 2027-01-15T08:00:0\(second)Z\n" }
    let (folder, file, list) = ("directory: Albums\n", "file: a.flac\n", "playlist: mix.m3u\n")
    for command in ["lsinfo", "listallinfo"] {
      let answer = client.ask(command)
      #expect(
        answer.contains(folder + line(1)) && answer.contains(file + line(2))
          && answer.contains(list + line(3)),
        "\(command): \(answer)")
    }
    let files = client.ask("listfiles")
    #expect(files.contains(folder + line(1)) && files.contains(file + line(2)), "\(files)")
    let names = client.ask("listall")
    #expect(names.contains(folder) && !names.contains("Last-Modified"), "\(names)")
    #expect(client.ask("listplaylists") == "playlist: mix\n" + line(3) + "OK\n")
  }

  /// A file with an embedded cue sheet is listed as a playlist and as a folder of its tracks.
  @Test func tracksOfAFileWithASheetAreListed() throws {
    let storage = Bench.storage("set library.enabled on\n")
    storage.folders["/music"] = SimulatedFolder(entries: [DirectoryEntry(name: "Disc", isDirectory: true)])
    let files = ["disc.flac", "other.flac", "plain.wav"]
    storage.folders["/music/Disc"] = SimulatedFolder(
      entries: files.map { DirectoryEntry(name: $0, isDirectory: false, modified: 1_800_000_001) })
    for file in files { storage.tracks["/music/Disc/" + file] = SimulatedTrack(seconds: 30, level: 0.25) }
    let index = FakeIndex()
    func row(_ path: String, _ title: String) -> [LibraryField] {
      [LibraryField(name: "path", value: "/music/Disc/" + path), LibraryField(name: "title", value: title)]
    }
    index.state.withLock {
      $0.folders = [
        "Disc": [
          row("other.flac", "Other"),
          row("disc.flac", "Whole") + [LibraryField(name: "sheet", value: "yes")],
        ],
        "Disc/disc.flac": [row("disc.flac/track0001", "One"), row("disc.flac/track0002", "Two")],
      ]
    }
    let bench = try MPDBench(storage, library: index)
    let client = bench.greeted()
    let time = "Last-Modified: 2027-01-15T08:00:01Z\n"
    let tracks =
      "file: Disc/disc.flac/track0001\nTitle: One\nfile: Disc/disc.flac/track0002\nTitle: Two\n"
    let listing = client.ask("lsinfo Disc")
    #expect(
      listing.contains("playlist: Disc/disc.flac\n" + time + "directory: Disc/disc.flac\n" + time)
        && listing.contains("file: Disc/other.flac\nTitle: Other\n")
        && listing.contains("file: Disc/plain.wav\n") && !listing.contains("file: Disc/disc.flac"),
      "\(listing)")
    #expect(client.ask("lsinfo Disc/disc.flac") == tracks + "OK\n")
    let all = client.ask("listallinfo")
    #expect(all.contains("directory: Disc/disc.flac\n" + time + tracks), "\(all)")
    let names = client.ask("listall Disc")
    #expect(
      names.contains(
        "playlist: Disc/disc.flac\ndirectory: Disc/disc.flac\nfile: Disc/disc.flac/track0001\nfile: Disc/disc.flac/track0002\n"
      ) && names.contains("file: Disc/other.flac\n"), "\(names)")
    #expect(client.ask("lsinfo Disc/none.flac") == "ACK [50@0] {lsinfo} No such directory\n")
  }

  @Test func theBoxsPlaylistsAreListedBesideTheMusic() throws {
    let storage = Bench.storage()
    storage.folders["/music"] = 2
    let bench = try MPDBench(storage)
    let client = bench.greeted()
    _ = client.ask("save A")
    _ = client.ask("playlistadd A short")
    let listing = client.ask("lsinfo")
    let last = listing.split(separator: "\n").suffix(3)
    #expect(last.first == "playlist: A" && last.last == "OK", "\(listing)")
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

  /// The modes of `save` since MPD 0.24.
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
    // Loading an empty playlist adds nothing and is not an error.
    _ = client.ask("playlistclear A")
    #expect(client.ask("load A") == "OK\n" && client.ask("load nowhere").hasPrefix("ACK [50@0]"))
  }

  /// The last path component of each track in the queue.
  private static func numbers(_ client: MPDWire) -> String {
    client.ask("playlist").split(separator: "\n").dropLast().map {
      $0.split { "/: ".contains($0) }.last ?? ""
    }
    .joined(separator: " ")
  }

  /// Tags and lengths of a playlist's songs come from the index.
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

  /// A song with two artists has one line for each and is found by either.
  @Test func aDuetHasTwoArtists() throws {
    let index = FakeIndex()
    index.know(
      "/music/long",
      [
        "title": "T", "artist": "A, B", "artist-values": "A", "artist-values": "B", "genre": "Folk, Jazz",
        "genre-values": "Folk", "genre-values": "Jazz", "length": "12.600",
      ])
    let bench = try MPDBench(Bench.storage("set library.enabled on\n"), library: index)
    let client = bench.greeted()
    let tags = "Artist: A\nArtist: B\nTitle: T\nGenre: Folk\nGenre: Jazz\nTime: 13\nduration: 12.600\n"
    _ = client.ask("add short", "add long", "playlistadd L long")
    #expect(client.ask("playlistinfo 1") == "file: long\n" + tags + "Pos: 1\nId: 2\nOK\n")
    for wanted in ["artist B", "artist A", "genre Jazz", "\"(artist starts_with 'B')\"", "any B"] {
      #expect(
        client.ask("playlistfind " + wanted) == "file: long\n" + tags + "Pos: 1\nId: 2\nOK\n", "\(wanted)")
    }
    #expect(client.ask("playlistfind artist \"A, B\"") == "OK\n")
    #expect(client.ask("playlistfind \"((artist == 'A') AND (artist != 'B'))\"") == "OK\n")
    #expect(client.ask("listplaylistinfo L") == "file: long\n" + tags + "OK\n")
    #expect(client.ask("searchplaylist L artist b") == "file: long\n" + tags + "OK\n")
    _ = client.ask("play 1")
    bench.clock.run(seconds: 1)
    // The song that plays has its length from the decoder.
    let playing = tags.replacing("Time: 13\nduration: 12.600\n", with: "")
    #expect(client.ask("currentsong").hasPrefix("file: long\n" + playing))
    // The console shows them on one line, MPD clients get a list.
    index.state.withLock { $0.answer = .rows([$0.files["/music/long"] ?? []], total: 1) }
    let found = bench.bench.ask("find artist B")
    #expect("\(found)".contains("T, A, B: /music/long"), "\(found)")
  }

  /// Clients see tags and lengths of songs that have not been opened yet.
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
    // The index is queried once per file.
    let asked = index.state.withLock { $0.questions.count }
    _ = client.ask("add long", "add short", "playlistinfo")
    #expect(
      client.ask("playlistinfo 3").hasPrefix(long) && index.state.withLock { $0.questions.count } == asked)
    // New metadata in the index counts as a change of the queue.
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

  /// An index that does not respond does not block the listing of the queue.
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

  /// A playlist that is longer than one page of the box's responses.
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
