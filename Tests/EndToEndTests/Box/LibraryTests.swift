// The library index of a real box: filled by workers during playback, and repaired after damage to it or its
// process. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

/// The priority of the processes that fill the index.
@Suite(.realTime) struct LibraryPriorityTests {
  /// A file that blocks its worker keeps the processes alive for inspection.
  @Test func theIndexIsFilledAtIdlePriority() throws {
    let bench = try Workbench()
    try FileManager.default.createDirectory(atPath: bench.path("music"), withIntermediateDirectories: true)
    try bench.write(Misdeed.hangInOpen.file(when: 0, frames: 44_100), as: "music/slow.wav")
    let box = try BoxRig(
      ["set library.enabled on", "set media.root \(bench.path("music"))"], bench: bench,
      environment: try bench.hostileEnvironment())
    try box.tell("library update")
    // Other workers of the index end before they can be inspected.
    let areIdle = try bench.waits {
      let index = ProcessView(number: box.daemon.identifier).children.first {
        $0.words.dropFirst().first == "library-update"
      }
      let worker = index?.children.first {
        $0.words.dropFirst().first == "worker" && $0.status("Seccomp") == "2"
      }
      return try index?.isIdle(bench) == true && worker?.isIdle(bench) == true
    }
    #expect(areIdle, "\(box.daemon.errorsSoFar)")
  }
}

@Suite(.realTime) struct BoxLibraryTests {
  private let bench: Workbench
  private let box: BoxRig

  init() throws {
    bench = try Workbench()
    try FileManager.default.createDirectory(
      atPath: bench.path("music/Jazz"), withIntermediateDirectories: true)
    try FileManager.default.createDirectory(atPath: bench.path("state"), withIntermediateDirectories: true)
    try bench.write(Coded.track(1, seconds: 60), as: "music/1.wav")
    box = try BoxRig(
      [
        "set library.enabled on", "set media.root \(bench.path("music"))",
        "set checkpoint.path \(bench.path("state/checkpoint"))",
      ], bench: bench)
  }

  private func song(_ name: String, title: String, artist: String = "Nina", seconds: Double = 0.2) throws {
    let wav = try bench.write(Sound.piece(seconds: seconds), as: "song.wav")
    try bench.tool(
      "flac", "-s", "-f", "-T", "TITLE=\(title)", "-T", "ARTIST=\(artist)", wav, "-o",
      bench.path("music/\(name)"))
  }

  /// Waits until the index is up to date and holds `count` tracks.
  private func holds(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var last: [String: String] = [:]
    // The indexing processes have idle priority and compete with the other tests.
    let isThere = bench.waits(seconds: 300) {
      last = (try? box.fields("library")) ?? [:]
      return last["tracks"] == "\(count)" && last["updating"] == "no"
    }
    try #require(isThere, "\(last) instead of \(count)", sourceLocation: sourceLocation)
  }

  /// The index's entries below `Jazz`.
  private func jazz() throws -> [String] {
    try box.tell("find base \(bench.path("music/Jazz"))").dropLast().map { String($0) }
  }

  /// From the file to the console and to MPD clients.
  @Test func aDuetIsFoundByItsSecondSinger() throws {
    let wav = try bench.write(Sound.piece(seconds: 0.2), as: "song.wav")
    try bench.tool(
      "flac", "-s", "-f", "-T", "TITLE=Duet", "-T", "ARTIST=Ann", "-T", "ARTIST=Zoë", "-T", "GENRE=Folk",
      "-T",
      "GENRE=Jazz", wav, "-o", bench.path("music/Jazz/duet.flac"))
    let port = ConfinementTests.freePort()
    try box.tell("set mpd.listen 127.0.0.1:\(port)")
    try box.tell("library update")
    try holds(2)
    let line = "  Duet, Ann, Zoë: " + bench.path("music/Jazz/duet.flac")
    for words in ["find artist Ann", "find artist Zoë", "search zoë", "find genre Jazz"] {
      #expect(try box.tell(words).dropLast() == [line], "\(words)")
    }
    #expect(try box.tell("list artist").dropLast() == ["  (none)", "  Ann", "  Zoë"])
    let program = try box.session()
    _ = try program.ask("format json")
    let json = try #require(try program.ask("find artist Zoë").last)
    #expect(json.contains("\"artist\":\"Ann, Zoë\",\"artist-values\":[\"Ann\",\"Zoë\"],"), "\(json)")
    let client = try ConfinementTests.client(bench, at: port)
    defer { close(client) }
    _ = ConfinementTests.line(client)
    func ask(_ command: String) -> [String] {
      _ = (command + "\n").withCString { Glibc.send(client, $0, strlen($0), Int32(MSG_NOSIGNAL)) }
      var lines: [String] = []
      while let line = Optional(ConfinementTests.line(client)), !line.isEmpty, line != "OK\n",
        !line.hasPrefix("ACK")
      {
        lines.append(line)
      }
      return lines
    }
    let tags = ["Artist: Ann\n", "Artist: Zoë\n", "Genre: Folk\n", "Genre: Jazz\n"]
    func named(_ lines: [String]) -> [String] {
      lines.filter { $0.hasPrefix("Artist: ") || $0.hasPrefix("Genre: ") }
    }
    #expect(ask("list artist") == ["Artist: \n", "Artist: Ann\n", "Artist: Zoë\n"])
    for command in ["find artist Zoë", "search artist zoë", "lsinfo Jazz", "readcomments Jazz/duet.flac"] {
      #expect(named(ask(command)) == tags, "\(command)")
    }
    _ = ask("clear")
    _ = ask("add Jazz/duet.flac")
    #expect(named(ask("playlistinfo")) == tags)
    _ = ask("play 0")
    #expect(named(ask("currentsong")) == tags)
    try box.tell("pause")
    // Also after the file was opened, when its tags come from the worker.
    #expect(bench.waits { (try? box.fields("status"))?["artist"] == "Ann, Zoë" })
    #expect(named(ask("currentsong")) == tags && named(ask("playlistinfo")) == tags)
    #expect(named(ask("playlistfind artist Zoë")) == tags)
    // A track in a cue sheet without a performer inherits the file's artists.
    let sheet = "FILE \"duet.flac\" WAVE\nTRACK 01 AUDIO\nTITLE \"Part\"\nINDEX 01 00:00:00\n"
    try bench.write(Data(sheet.utf8), as: "music/Jazz/disc.cue")
    try box.tell("library update")
    let part = "  Part, Ann, Zoë: " + bench.path("music/Jazz/disc.cue/track0001")
    #expect(bench.waits { (try? box.tell("find artist Zoë"))?.dropLast() == [part] })
    #expect(named(ask("lsinfo Jazz/disc.cue")) == tags)
  }

  /// Tracks of an embedded sheet are indexed, unless a sheet beside the file exists.
  @Test func theTracksOfASheetWithinAFileAreFound() throws {
    let place = bench.path("music/Jazz")
    let titles = ["Blue", "Red"]
    let sheet =
      "TITLE \"Live\"\nFILE \"x.wav\" WAVE\n"
      + titles.enumerated().map { "TRACK 0\($0 + 1) AUDIO\nTITLE \"\($1)\"\nINDEX 01 00:0\($0):00\n" }
      .joined()
    try bench.write(Data(sheet.utf8), as: "in.cue")
    try song("Jazz/disc.flac", title: "All of it", seconds: 3.5)
    try bench.tool(
      "metaflac", "--set-tag-from-file=CUESHEET=\(bench.path("in.cue"))", bench.path("music/Jazz/disc.flac"))
    try box.tell("library update")
    try holds(3)
    let found = [
      "  Blue, Nina, Live: \(place)/disc.flac/track0001", "  Red, Nina, Live: \(place)/disc.flac/track0002",
    ]
    #expect(try jazz() == found)
    // A second update without changes.
    try box.tell("library update")
    try holds(3)
    #expect(try jazz() == found)
    // `search` matches parts of the path, also those of the track's file; `find file` matches the whole path.
    #expect(try box.tell("search file DISC.FLAC").dropLast() == found[...])
    #expect(
      try box.tell("find file \(place)/disc.flac").dropLast() == ["  All of it, Nina: \(place)/disc.flac"])
    try box.tell("queue add \(place)/disc.flac/track0002")
    try box.tell("queue add \(place)/disc.flac")
    #expect(try box.tell("queue list").filter { $0.contains("Red") }.count == 2)
    // A sheet beside the file.
    try bench.write(
      Data("FILE \"disc.flac\" WAVE\nTRACK 01 AUDIO\nTITLE \"Green\"\nINDEX 01 00:00:00\n".utf8),
      as: "music/Jazz/disc.cue")
    try box.tell("library update")
    try holds(2)
    #expect(try jazz() == ["  Green, Nina: \(place)/disc.cue/track0001"])
    #expect(try box.tell("search file disc.flac").dropLast() == ["  All of it, Nina: \(place)/disc.flac"])
    try bench.tool("rm", bench.path("music/Jazz/disc.cue"))
    try box.tell("library update")
    try holds(3)
    #expect(try jazz() == found)
    try bench.tool("metaflac", "--remove-tag=CUESHEET", bench.path("music/Jazz/disc.flac"))
    try box.tell("library update")
    try holds(2)
    #expect(try jazz() == ["  All of it, Nina: \(place)/disc.flac"])
  }

  /// Where the metadata is stored.
  enum Place: CaseIterable {
    case file, sheetBeside, sheetWithin
  }

  /// The file keeps its size, inode and modification second.
  @Test(arguments: Place.allCases) func aChangeWithinASecondIsFound(_ place: Place) throws {
    func sheet(_ title: String) -> String {
      "FILE \"disc.flac\" WAVE\nTRACK 01 AUDIO\nTITLE \"\(title)\"\nINDEX 01 00:00:00\n"
    }
    func write(_ title: String, fraction: String) throws {
      let name = place == .sheetBeside ? "music/Jazz/disc.cue" : "music/Jazz/disc.flac"
      var bytes = Data(sheet(title).utf8)
      if place != .sheetBeside {
        let wav = try bench.write(Sound.piece(seconds: 2), as: "song.wav")
        let tag = place == .file ? "TITLE=\(title)" : "CUESHEET=\(sheet(title))"
        try bench.tool("flac", "-s", "-f", "-T", tag, wav, "-o", bench.path("made.flac"))
        bytes = try Data(contentsOf: bench.directory.appendingPathComponent("made.flac"))
      }
      try bench.write(bytes, as: name)
      try bench.tool("touch", "-d", "2026-11-29 10:00:00.\(fraction)", bench.path(name))
    }
    if place == .sheetBeside { try song("Jazz/disc.flac", title: "All of it", seconds: 2) }
    try write("Blue", fraction: "25")
    try box.tell("library update")
    #expect(bench.waits(seconds: 300) { (try? box.tell("find title Blue"))?.count == 2 })
    try write("Grey", fraction: "75")
    try box.tell("library update")
    #expect(bench.waits(seconds: 60) { (try? box.tell("find title Grey"))?.count == 2 })
    #expect(try box.tell("find title Blue").count == 1)
  }

  /// The tracks of a cue sheet replace their file in the index, follow changes of both, and are played by
  /// their own names.
  @Test func theTracksOfACueSheetAreFound() throws {
    let place = bench.path("music/Jazz")
    func sheet(_ titles: [String], of file: String = "disc.wav") throws {
      let tracks = titles.enumerated().map { i, title in
        "  TRACK 0\(i + 1) AUDIO\n    TITLE \"\(title)\"\n    INDEX 01 00:0\(i):00\n"
      }
      let text = "PERFORMER \"Nina\"\nTITLE \"Live\"\nFILE \"\(file)\" WAVE\n" + tracks.joined()
      try bench.write(Data(text.utf8), as: "music/Jazz/disc.cue")
    }
    try song("Jazz/disc.flac", title: "All of it", artist: "Nina", seconds: 3.5)
    try sheet(["Blue", "Red"])
    try box.tell("library update")
    try holds(3)
    #expect(
      try jazz() == [
        "  Blue, Nina, Live: \(place)/disc.cue/track0001", "  Red, Nina, Live: \(place)/disc.cue/track0002",
      ])
    let program = try box.session()
    _ = try program.ask("format json")
    // The last track lasts to the end of the file.
    let red = try #require(try program.ask("find title Red").last)
    #expect(red.contains("\"length\":2.500"), "\(red)")
    #expect(try box.tell("find file \(place)/disc.flac").first?.contains("All of it") == true)
    try box.tell("queue add \(place)/disc.cue/track0002")
    #expect(try box.tell("queue list").contains { $0.contains("Red") })
    #expect(throws: (any Error).self) { try box.tell("queue add \(place)/disc.cue/track0003") }
    // Another sheet, no sheet, a sheet for another file.
    try sheet(["Blue", "Red", "Green"])
    try box.tell("library update")
    try holds(4)
    try FileManager.default.removeItem(atPath: place + "/disc.cue")
    try box.tell("library update")
    try holds(2)
    #expect(try jazz() == ["  All of it, Nina: \(place)/disc.flac"])
    try sheet(["Blue", "Red"], of: "other.wav")
    try box.tell("library update")
    try holds(2)
    try song("Jazz/other.flac", title: "Other", seconds: 2)
    try box.tell("library update")
    try holds(4)
  }

  @Test func itFollowsWhatBecomesOfFiles() throws {
    try song("Jazz/a.flac", title: "Blue")
    try song("Jazz/b.flac", title: "Red")
    try bench.write(Data("nothing".utf8), as: "music/bad.mp3")
    try box.tell("library update")
    try holds(3)
    #expect(
      try box.tell("find artist Nina sort -title").first == "  Red, Nina: \(bench.path("music/Jazz/b.flac"))")
    #expect(try box.tell("library faults").first?.contains("music/bad.mp3: ") == true)
    try song("Jazz/a.flac", title: "Green", seconds: 0.3)
    try FileManager.default.removeItem(atPath: bench.path("music/Jazz/b.flac"))
    try FileManager.default.removeItem(atPath: bench.path("music/bad.mp3"))
    try song("c.flac", title: "New")
    try box.tell("library update")
    try holds(3)
    #expect(
      try box.tell("list title").dropLast() == ["  (none)", "  Green", "  New"]
        && box.tell("library faults") == ["ok 0 in all"])
    #expect(box.logs("The index has 3 tracks", "2 were read, 2 are gone"))
    // The index survives a restart.
    box.pullPlug()
    try box.restart()
    #expect(try box.tell("search GREEN").count == 2)
  }

  /// An empty folder that is a mount point whose storage is not mounted.
  @Test func anEmptyRootLosesNothing() throws {
    try song("Jazz/a.flac", title: "Blue")
    try box.tell("library update")
    try holds(2)
    try FileManager.default.moveItem(atPath: bench.path("music"), toPath: bench.path("elsewhere"))
    try FileManager.default.createDirectory(atPath: bench.path("music"), withIntermediateDirectories: true)
    try box.tell("library update")
    #expect(box.logs("what was known of it is kept"))
    try holds(2)
  }

  @Test func linksThatLeadOutAreNotFollowed() throws {
    try FileManager.default.createDirectory(atPath: bench.path("secret"), withIntermediateDirectories: true)
    try bench.write(Sound.piece(seconds: 0.1), as: "secret/hidden.wav")
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("music/way"), withDestinationPath: bench.path("secret"))
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("music/round"), withDestinationPath: bench.path("music"))
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("music/one.wav"), withDestinationPath: bench.path("secret/hidden.wav"))
    // This folder sorts behind the link that leads back.
    try FileManager.default.createDirectory(
      atPath: bench.path("music/zoo"), withIntermediateDirectories: true)
    try song("zoo/z.flac", title: "Last")
    try box.tell("library update")
    try holds(2)
    #expect(try box.fields("library")["unreadable"] == "1")
    #expect(try box.tell("find title Last").first == "  Last, Nina: \(bench.path("music/zoo/z.flac"))")
  }

  @Test func aDamagedIndexIsMadeAfresh() throws {
    try song("Jazz/a.flac", title: "Blue")
    try box.tell("library update")
    try holds(2)
    try bench.write(Data(repeating: 0x5A, count: 40_000), as: "state/library")
    for suffix in ["-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: bench.path("state/library\(suffix)"))
    }
    #expect(try box.refusal(of: "search blue").contains("was broken, and is being made afresh"))
    try holds(2)
    #expect(try box.tell("search blue").count == 2)
  }

  /// The indexing process is killed: its results so far are kept, the next process continues, and the music
  /// is unaffected.
  @Test func aKilledProcessCostsNothing() throws {
    try song("Jazz/a.flac", title: "Blue")
    for number in 0..<150 {
      try FileManager.default.copyItem(
        atPath: bench.path("music/Jazz/a.flac"), toPath: bench.path("music/Jazz/\(number).flac"))
    }
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    try box.tell("library update")
    let filling = try #require(fillingProcess())
    kill(filling, SIGKILL)
    #expect(box.logs("was not brought up to date", "broke off"))
    try box.tell("library update")
    try holds(152)
    let heard = box.card.segments
    #expect(heard.count == 1 && heard[0].track == 1, "\(heard)")
  }

  /// Waits for an indexing process and returns it.
  private func fillingProcess() -> Int32? {
    var found: Int32?
    _ = bench.waits {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let number = Int32(name),
          let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
          line.range(of: Data("\0library-update\0\(box.daemon.identifier)\0update\0".utf8)) != nil
        else { continue }
        found = number
      }
      return found != nil
    }
    return found
  }
}
