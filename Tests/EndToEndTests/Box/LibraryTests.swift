// The index of a genuine box: filled from files, by workers, while music plays, and mended when it or its process is harmed. Test
// threads.

import ChildSupport
import Foundation
import Testing
import VirtualCardSupport

@Suite struct BoxLibraryTests {
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

  /// Waits until the index is up to date and holds so many tracks.
  private func holds(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
    var last: [String: String] = [:]
    // What fills it has idle priority, and gets what the other tests leave.
    let isThere = bench.waits(seconds: 300) {
      last = (try? box.fields("library")) ?? [:]
      return last["tracks"] == "\(count)" && last["updating"] == "no"
    }
    try #require(isThere, "\(last) instead of \(count)", sourceLocation: sourceLocation)
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
    // What is known is known after a restart.
    box.pullPlug()
    try box.restart()
    #expect(try box.tell("search GREEN").count == 2)
  }

  /// A folder where storage is mounted, and is not just now.
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
    // Behind the link that leads back, in the order of names.
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

  /// The filling process is killed in the middle; what it had found is kept, and the next one goes on. Music plays all the while.
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

  /// The process that fills, once there is one.
  private func fillingProcess() -> Int32? {
    var found: Int32?
    _ = bench.waits {
      for name in (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? [] {
        guard let number = Int32(name),
          let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline"),
          line.range(of: Data("\0library\0\(box.daemon.identifier)\0update\0".utf8)) != nil
        else { continue }
        found = number
      }
      return found != nil
    }
    return found
  }
}
