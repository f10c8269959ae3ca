// The reports of a real daemon about itself, and about its killed predecessor. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing

/// A folder on tmpfs for files that outlive a process.
private final class MemoryFolder {
  let path: String

  init() throws {
    path = "/dev/shm/swiftlet-test-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}

@Suite(.realTime) struct BoxReportTests {
  private func report(_ rig: BoxRig, _ command: String = "report") throws -> [String] {
    try rig.tell(command).map { String($0.drop { $0 == " " }) }
  }

  @Test func aKilledDaemonsFlightIsToldByTheNextOne() throws {
    let folder = try MemoryFolder()
    let rig = try BoxRig(["set report.path \(folder.path)/flight"])
    try rig.tracks(1...1, seconds: 30)
    try rig.tell("play 1.wav")
    try rig.reaches("playing")
    try rig.tell("volume 77")
    rig.pullPlug()
    try rig.restart()
    let lines = try report(rig)
    let start = try #require(
      lines.firstIndex(of: "[last flight]"), "\(lines.prefix(40)) \(rig.daemon.errorsSoFar)")
    let last = lines[start...]
    #expect(last.contains { $0.hasSuffix("command from=socket : volume 77") })
    #expect(last.contains { $0.contains(" deck deck=A what=ready") })
    #expect(!last.contains { $0.contains(" stop") })
    // Compares whole names: a pseudonym such as track-3eb541.wav may end like the name.
    #expect(lines.filter { $0.split { " =/".contains($0) }.contains("1.wav") } == [])
    #expect(try report(rig, "report with paths").contains { $0.hasSuffix("/1.wav") })
    // A track keeps its pseudonym across the restart.
    try rig.tell("play 1.wav")
    try rig.reaches("playing")
    let names = Set(
      try report(rig).compactMap { line in
        line.split(separator: " ").first { $0.hasPrefix("track=") }
      })
    #expect(names.count == 1, "\(names)")
  }

  @Test func anEndInOrderLeavesNothing() throws {
    let folder = try MemoryFolder()
    let rig = try BoxRig(["set report.path \(folder.path)/flight"])
    try rig.tell("shutdown")
    _ = rig.daemon.wait(seconds: 20)
    try rig.restart()
    #expect(try !report(rig).contains("[last flight]"))
  }

  /// Storage could block the control thread, so a recorder file on storage is refused and memory is used.
  @Test func aFileOnStorageIsNotUsed() throws {
    let rig = try BoxRig(["set report.path /var/tmp/swiftlet-test-flight"])
    #expect(rig.logs("Reports will not cover crashes"))
    #expect(!FileManager.default.fileExists(atPath: "/var/tmp/swiftlet-test-flight"))
    #expect(try report(rig).contains("[flight]"))
  }

  @Test func theFileIsWhatWasTold() throws {
    let rig = try BoxRig()
    let outcome = try rig.bench.start(["ctl", "--socket", rig.socket, "report"]).wait(seconds: 20)
    #expect(outcome.status == 0)
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first == "swiftlet report 1" && lines.last == "[end]")
  }
}
