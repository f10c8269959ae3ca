// Failures before or during playback: error messages and exit statuses. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

@Suite(.realTime) struct ErrorTests {
  func bench() throws -> Workbench {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 0.3), as: "good.wav")
    return bench
  }

  @Test func aMissingFileIsNamedAndPassedOver() throws {
    let bench = try bench()
    let outcome = try bench.play(["--output", "out.wav"], ["good.wav", "gone.flac", "good.wav"])
    #expect(outcome.status == 1)
    #expect(outcome.reports("gone.flac"))
    let heard = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("out.wav")))
    #expect(heard.frames == 2 * 13230)
  }

  @Test func allMissingIsStatusTwo() throws {
    let outcome = try bench().play(["--output", "out.wav"], ["a.wav", "b.wav", "c.wav"])
    #expect(outcome.status == 2 && !outcome.isCrash, "\(outcome)")
    for name in ["a.wav", "b.wav", "c.wav"] { #expect(outcome.reports(name)) }
  }

  /// A list's missing files are reported in one line; the others play.
  @Test func whatAListLacksIsSummedUp() throws {
    let bench = try bench()
    let lines = (0..<40).map { $0 % 16 == 1 ? "good.wav\n" : "gone-\($0).wav\n" }.joined()
    try bench.write(Data(lines.utf8), as: "x.m3u")
    let outcome = try bench.play(["--output", "out.wav"], ["x.m3u"])
    #expect(outcome.status == 1 && outcome.reports("37 of 40 entries of x.m3u do not exist"), "\(outcome)")
    #expect(!(outcome.output + outcome.errors).contains("gone-"))
    let heard = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("out.wav")))
    #expect(heard.frames == 3 * 13230)
    try bench.write(Data("gone.wav\ngone.flac\n".utf8), as: "none.m3u")
    let none = try bench.play(["--output", "none.wav"], ["none.m3u"])
    #expect(none.status == 2 && none.reports("none.m3u", "none of its 2 entries is there"), "\(none)")
  }

  @Test func whatIsNoFileIsGivenUpAtOnce() throws {
    let bench = try bench()
    #expect(mkfifo(bench.path("pipe.wav"), 0o600) == 0)
    try FileManager.default.createDirectory(
      atPath: bench.path("folder.wav"), withIntermediateDirectories: true)
    try bench.write(Data("folder.wav\npipe.wav\n".utf8), as: "list.m3u")
    let outcome = try bench.play(["--output", "out.wav"], ["list.m3u"], seconds: 20)
    #expect(outcome.status == 2 && !outcome.isCrash, "\(outcome)")
    #expect(outcome.reports("pipe.wav", "device or a pipe") && outcome.reports("folder.wav", "directory"))
  }

  @Test func aFolderWithoutMediaIsNothingToPlay() throws {
    let bench = try bench()
    let folder = bench.directory.appendingPathComponent("empty")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data("x".utf8).write(to: folder.appendingPathComponent("notes.txt"))
    let outcome = try bench.play(["--output", "out.wav"], ["empty"])
    #expect(outcome.status == 2)
    #expect(outcome.reports("nothing to play"))
  }

  @Test func aFolderPlaysInNaturalOrder() throws {
    let bench = try bench()
    let names = ["2 b.wav", "10 c.wav", "1 a.wav", "B/1.wav", "A/1.wav"]
    var expected: [Int16] = []
    for (n, name) in names.enumerated() {
      let url = bench.directory.appendingPathComponent("album/\(name)")
      try FileManager.default.createDirectory(
        at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Sound([Int16](repeating: Int16(n + 1) * 1000, count: 4000)).wav.write(to: url)
    }
    for n in [2, 0, 1, 4, 3] { expected += [Int16](repeating: Int16(n + 1) * 1000, count: 4000) }
    let heard = try bench.record([], ["album"], format: "S16")
    #expect(difference(heard.int16, expected) == nil)
  }

  @Test(arguments: [
    [], ["--nonsense", "good.wav"], ["--crossfade"], ["--crossfade", "16", "good.wav"],
    ["--crossfade", "x", "good.wav"], ["--curve", "round", "good.wav"], ["--volume", "101", "good.wav"],
    ["--rate", "7", "good.wav"], ["--format", "S8", "good.wav"], ["--mode", "wide", "good.wav"],
    ["--script", "none.txt", "good.wav"],
  ])
  func wrongUsageIsStatus64(arguments: [String]) throws {
    let outcome = try bench().play(["--output", "out.wav"] + arguments, [])
    #expect(outcome.status == 64 && !outcome.isCrash, "\(outcome)")
    #expect(outcome.reports("swiftlet play:"))
  }

  @Test(arguments: [
    ("play", 1), ("at 1 play\n\n# fine\nat x pause", 4), ("at 1 dance", 1), ("at -1 play", 1),
    ("at 1 volume", 1), ("at 1 play\nat 2 curve round", 2), ("at 1 status", 1), ("at 1 save", 1),
    ("at 1 play /x", 1), ("at 1 pause now", 1), ("at 12f", 1),
  ])
  func aBadScriptLineIsNumbered(script: String, line: Int) throws {
    let outcome = try bench().play(["--output", "out.wav"], ["good.wav"], script: script)
    #expect(outcome.status == 64)
    #expect(outcome.reports("line \(line):"), "\(outcome.errors)")
  }

  @Test func anUnknownDeviceIsStatusThree() throws {
    let outcome = try bench().play(["--device", "nosuchcard"], ["good.wav"])
    #expect(outcome.status == 3)
    #expect(outcome.reports("nosuchcard"))
  }

  @Test func aFileThatCannotBeWrittenIsStatusThree() throws {
    let outcome = try bench().play(["--output", "/proc/nowhere/out.wav"], ["good.wav"])
    #expect(outcome.status == 3)
    #expect(outcome.reports("/proc/nowhere/out.wav"))
  }

  @Test func aFullDiskEndsTheRecordingWithAnError() throws {
    let outcome = try bench().play(["--output", "/dev/full"], ["good.wav"], seconds: 10)
    #expect(!outcome.isCrash && outcome.status == 3, "\(outcome)")
    #expect(outcome.reports("/dev/full"))
  }

  private static let mayMount = Workbench.mayMakeNameSpace("mount")

  /// A small file system that fills up during the recording, at the first frame or at the header: the status
  /// is never 0, and a partial recording keeps its `.part` name.
  @Test(
    .enabled(if: mayMount, "this user may make no name space of mounts (unshare --mount)"),
    arguments: [(200, true), (8, false), (4, false)])
  func aFileSystemThatFillsUpIsNamed(kilobytes: Int, isKept: Bool) throws {
    let bench = try Workbench()
    try bench.write(Sound.piece(seconds: 10), as: "long.wav")
    try FileManager.default.createDirectory(atPath: bench.path("full"), withIntermediateDirectories: true)
    let swiftlet = Workbench.executable.path
    let script = """
      mount -t tmpfs -o size=\(kilobytes)k none full && touch ready
      '\(swiftlet)' play --strict --output full/out.wav long.wav; echo "status $?"; ls full
      """
    let child = try Child(
      URL(filePath: "/usr/bin/unshare"), ["--mount", "--map-root-user", "bash", "-c", script],
      in: bench.directory)
    let outcome = child.wait(seconds: 60)
    try #require(FileManager.default.fileExists(atPath: bench.path("ready")), "\(outcome)")
    #expect(outcome.output.contains("status 3"), "\(outcome)")
    #expect(outcome.reports("full/out.wav", "No space left on device"), "\(outcome)")
    #expect(!outcome.errors.contains("waiting for it to come back"))
    let names = outcome.output.split(separator: "\n").filter { $0.hasPrefix("out.wav") }
    #expect(names == (isKept ? ["out.wav.part"] : []), "\(outcome)")
  }

  /// The events file and the recording must differ: by name, other spellings, symbolic and hard links, a
  /// dangling link, and the `.part` name.
  @Test(arguments: ["same", "spelling", "link", "dangling", "chain", "hardlink", "folder", "part"])
  func eventsAndRecordingAreTwoFiles(way: String) throws {
    let bench = try bench()
    var events = "log.wav"
    switch way {
    case "same": events = "out.wav"
    case "spelling": events = "./../" + bench.directory.lastPathComponent + "//out.wav"
    case "link":
      try bench.write(Data(), as: "out.wav")
      try #require(symlink("out.wav", bench.path("log.wav")) == 0)
    case "dangling": try #require(symlink("out.wav", bench.path("log.wav")) == 0)
    case "chain":
      try #require(symlink("other", bench.path("log.wav")) == 0)
      try #require(symlink(bench.path("out.wav"), bench.path("other")) == 0)
    case "hardlink":
      try bench.write(Data(), as: "out.wav")
      try #require(Glibc.link(bench.path("out.wav"), bench.path("log.wav")) == 0)
    case "folder":
      try #require(symlink(".", bench.path("way")) == 0)
      events = "way/out.wav"
    default: events = "out.wav.part"
    }
    let outcome = try bench.play(["--force", "--output", "out.wav", "--events", events], ["good.wav"])
    #expect(outcome.status == 64 && outcome.reports("--output out.wav", events, "one file"), "\(outcome)")
    let distinct = try bench.play(["--force", "--output", "out.wav", "--events", "own.txt"], ["good.wav"])
    #expect(distinct.status == 0)
  }

  @Test func withoutASoundCardARecordingIsMade() throws {
    let bench = try bench()
    // An ALSA configuration without devices acts like a machine without a card.
    let none = try bench.write(Data("pcm.!default { type hw card 31 }\n".utf8), as: "asound.conf")
    let outcome = try bench.play([], ["good.wav"], environment: ["ALSA_CONFIG_PATH": none])
    #expect(outcome.status == 0, "\(outcome)")
    #expect(outcome.reports("No sound card", "swiftlet.wav"), "\(outcome.errors)")
    let heard = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("swiftlet.wav")))
    #expect(difference(heard.int16, Sound.piece(seconds: 0.3).int16) == nil)
    // --limit ends it, too.
    try bench.write(Sound.piece(seconds: 3), as: "long.wav")
    let cut = try bench.play(["--limit", "1"], ["long.wav"], environment: ["ALSA_CONFIG_PATH": none])
    #expect(cut.reports("the recording ends at"), "\(cut)")
    let part = try Sound(wav: Data(contentsOf: bench.directory.appendingPathComponent("swiftlet-2.wav")))
    #expect(part.frames == 44100)
    try FileManager.default.removeItem(atPath: bench.path("swiftlet-2.wav"))
    // The default name never replaces a file.
    let again = try bench.play([], ["good.wav"], environment: ["ALSA_CONFIG_PATH": none])
    #expect(again.status == 0 && again.reports("swiftlet-2.wav"), "\(again)")
  }

  @Test func theStateLogFollowsTheTimeline() throws {
    let bench = try bench()
    try bench.write(Sound.piece(seconds: 3), as: "long.wav")
    let outcome = try bench.play(
      ["--output", "out.wav", "--events", "events"], ["long.wav", "good.wav"],
      script: "at 10007f pause\nat 30011f play\n")
    #expect(outcome.status == 0)
    let lines = try String(contentsOfFile: bench.path("events"), encoding: .utf8)
    #expect(lines.contains("10007 paused long.wav\n"))
    #expect(lines.contains("30011 playing long.wav\n"))
    #expect(lines.contains("\(132_300 + 30_011 - 10_007 - 8_820) playing good.wav\n"), "\(lines)")
  }
}
