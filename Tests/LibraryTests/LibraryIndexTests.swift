// The file of the library index: order, bounds, damage. Test threads.

import Foundation
import Media
import Platform
import Testing

@testable import Library

@Suite struct LibraryIndexTests {
  /// The keys of paths in one folder sort like the folder's listing.
  @Test func keysAreInNaturalOrder() {
    var random = SystemRandomNumberGenerator()
    let letters = Array("aAbB09 1-._éß")
    for _ in 0..<20_000 {
      func name() -> String {
        String(
          (0..<Int.random(in: 1...6, using: &random)).map { _ in letters.randomElement(using: &random)! })
      }
      let (left, right) = (name(), name())
      let keys = (OrderKey.of("/m/" + left), OrderKey.of("/m/" + right))
      // Names that differ only in case or leading zeros are adjacent.
      if keys.0.lexicographicallyPrecedes(keys.1) {
        #expect(NaturalOrder.isBefore(left, right), "\(left) \(right)")
      }
    }
    let paths = ["/m/b.flac", "/m/a/2.flac", "/m/a/10.flac", "/m/a/1/x.flac", "/m/a b/1.flac"]
    #expect(paths.sorted { OrderKey.of($0).lexicographicallyPrecedes(OrderKey.of($1)) } == paths)
  }

  @Test(arguments: [
    ("1970-01-01", 0), ("2000-02-29T12:34:56Z", 951_827_696), ("20261123T101112Z", 1_795_428_672),
    ("123", 123),
    ("2026-1-1", nil), ("soon", nil), ("", nil), ("9999-12-31", 253_402_214_400),
    ("99999999999999999999", nil),
  ]) func momentsAreReadAndWritten(text: String, seconds: Int64?) {
    #expect(UTCTime.seconds(text) == seconds)
    if let seconds { #expect(UTCTime.seconds(UTCTime.text(seconds)) == seconds) }
  }

  /// A response that does not fit is sent in parts without a loss.
  @Test func longAnswersComeInParts() throws {
    let bench = try IndexBench(
      (0..<900).map {
        MadeUpTrack(path: "/music/\($0).flac", title: String(repeating: "\($0) ", count: 50), artist: "A")
      })
    var found: [String] = []
    var turns = 0
    while turns < 100 {
      let part = try bench.ask(.find, ["artist", "A", "window", "\(found.count):900"])
      #expect(part.total == 900)
      let size = part.rows.reduce(0) { $0 + $1.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count } }
      #expect(size <= LibraryIndex.maxBytes)
      if part.rows.isEmpty { break }
      found += part.rows.map { $0["path"]! }
      turns += 1
    }
    #expect(found == (0..<900).map { "/music/\($0).flac" })
  }

  /// The searchable text follows each change of a track.
  @Test(arguments: ["title", "artist", "album", "albumartist", "genre", "date"])
  func aSearchFollowsWhatIsKnown(tag: String) throws {
    func track(_ word: String) -> MadeUpTrack {
      var track = MadeUpTrack(path: "/music/1.flac", title: "T", artist: "A", album: "B", albumArtist: "C")
      switch tag {
      case "title": track.title = word
      case "artist": track.artist = word
      case "album": track.album = word
      case "albumartist": track.albumArtist = word
      case "genre": track.genre = word
      default: track.date = word
      }
      return track
    }
    let bench = try IndexBench([track("Harbour"), MadeUpTrack(path: "/music/2.flac", title: "Other")])
    #expect(try bench.names(.search, ["arbou"]) == ["1.flac"])
    try bench.tell(track("Night"))
    #expect(try bench.names(.search, ["arbou"]).isEmpty)
    #expect(try bench.names(.search, ["nigh"]) == ["1.flac"])
    try bench.index.database.run("DELETE FROM track WHERE path = '/music/1.flac'")
    #expect(try bench.names(.search, ["nigh"]).isEmpty)
    #expect(try bench.index.database.number("SELECT count(*) FROM words") == 1)
  }

  @Test(arguments: [0, 100, 4096, 20_000]) func aDamagedFileIsMadeAnew(place: Int) throws {
    let bench = try IndexBench((0..<500).map { MadeUpTrack(path: "/music/\($0).flac", title: "T\($0)") })
    let copy = bench.folder.appendingPathComponent("copy").path
    try bench.index.database.run("PRAGMA wal_checkpoint(TRUNCATE)")
    try FileManager.default.copyItem(atPath: bench.file, toPath: copy)
    let handle = try #require(FileHandle(forUpdatingAtPath: copy))
    try handle.seek(toOffset: UInt64(place))
    try handle.write(contentsOf: Data(repeating: 0xA5, count: 3000))
    try handle.close()
    // A query reports the damage, and an update recreates the index.
    do {
      if let index = try LibraryIndex.open(copy) {
        _ = try index.answer(to: LibraryQuestion(.search, ["t"]), within: ["/music"])
      }
    } catch {
      #expect(error.isBroken, "\(error.sentence)")
    }
    let healed = try LibraryIndex.openOrMake(copy)
    _ = try healed.answer(to: LibraryQuestion(.search, ["t"]), within: ["/music"])
    try healed.database.run("DELETE FROM track")
  }

  /// An index of another version, also a later one, is recreated without a message, and returns nothing
  /// before that.
  @Test(arguments: [1, LibraryIndex.version - 1, LibraryIndex.version + 1]) func otherVersionsAreMadeAnew(
    version: Int
  ) throws {
    let bench = try IndexBench([MadeUpTrack(path: "/music/a.flac", title: "Blue")])
    try bench.index.database.run("PRAGMA user_version=\(version)")
    #expect(try LibraryIndex.open(bench.file) == nil)
    let anew = try LibraryIndex.openOrMake(bench.file)
    #expect(try anew.count(.all([])) == 0)
    #expect(try LibraryIndex.open(bench.file) != nil)
  }

  @Test func noIndexIsNoFault() throws {
    let bench = try IndexBench()
    #expect(try LibraryIndex.open(bench.folder.appendingPathComponent("none").path) == nil)
    // A file of another program is left unchanged.
    let other = bench.folder.appendingPathComponent("empty").path
    try Data().write(to: URL(fileURLWithPath: other))
    #expect(try LibraryIndex.open(other) == nil)
  }

  @Test(arguments: [
    LibraryRequest(.find, ["artist", "", "window", "0:5"], in: "/s/library", within: ["/a b", "/ü"]),
    LibraryRequest(.summary, [], in: "f", within: []),
  ]) func requestsAreReadAsTheyAreWritten(request: LibraryRequest) {
    #expect(LibraryRequest(request.words[...]) == request)
  }

  @Test(arguments: [true, false]) func updatesAreReadAsTheyAreWritten(isAfresh: Bool) {
    let task = LibraryUpdateTask("f", root: "/r", isAfresh: isAfresh)
    #expect(LibraryUpdateTask(task.words[...]) == task)
  }

  @Test(arguments: [
    [], ["f"], ["f", "find", "2", "/a"], ["f", "dance", "0"], ["make", "f"], ["x", "y", "z"],
  ])
  func whatIsNoTaskIsRefused(words: [String]) {
    #expect(LibraryRequest(words[...]) == nil && LibraryUpdateTask(words[...]) == nil)
  }

  @Test func answersThatBrokeOffAreNone() throws {
    let bytes = LibraryAnswer.rows([[LibraryField(name: "a", value: "b")]], total: 1).bytes
    #expect(LibraryAnswer(bytes) == .rows([[LibraryField(name: "a", value: "b")]], total: 1))
    for count in 0..<bytes.count { #expect(LibraryAnswer(Array(bytes[..<count])) == nil) }
    let report = LibraryUpdateReport.done(
      LibraryUpdateSummary(tracks: 3, read: 2, removed: 1, faults: 0, note: "n"))
    #expect(LibraryUpdateReport([0, 0, 0] + report.bytes) == report)
    #expect(LibraryUpdateReport([0, 0]) == nil)
  }
}
