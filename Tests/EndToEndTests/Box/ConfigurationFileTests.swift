// Something else in place of the configuration file: a pipe, a folder or a device. Test threads.

import ChildSupport
import Foundation
import Testing

@Suite struct ConfigurationFileTests {
  @Test(arguments: [("pipe", "is a pipe or a socket"), ("folder", "is a folder"), ("device", "is a device")])
  func aBoxStartsWithoutAFileAndEndsWhenAsked(kind: String, words: String) throws {
    let bench = try Workbench()
    let path = bench.path("swiftlet.conf")
    switch kind {
    case "pipe": try #require(mkfifo(path, 0o600) == 0)
    case "folder": try #require(mkdir(path, 0o700) == 0)
    default: try #require(symlink("/dev/zero", path) == 0)
    }
    let daemon = try bench.start(["run", "--config", path])
    let isTold = bench.waits { daemon.errorsSoFar.contains("No configuration: \(path) \(words)") }
    #expect(isTold, "\(daemon.errorsSoFar)")
    kill(daemon.identifier, SIGTERM)
    let outcome = daemon.wait(seconds: 8)
    #expect(outcome.status == 0 && !outcome.isCrash, "\(outcome)")
  }

  /// A pipe that appears in place of the file neither blocks `save` nor later saves.
  @Test func savingToAPipeIsRefusedAtOnce() throws {
    let box = try BoxRig()
    try FileManager.default.removeItem(atPath: box.configuration)
    try #require(mkfifo(box.configuration, 0o600) == 0)
    let refusal = try box.refusal(of: "save")
    #expect(refusal.contains("\(box.configuration) is a pipe or a socket"), "\(refusal)")
    try FileManager.default.removeItem(atPath: box.configuration)
    #expect(try box.session().ask("save").last?.hasPrefix("ok") == true)
  }

  @Test func aRecordingIntoAPipeNamesTheReason() throws {
    let bench = try Workbench()
    let file = try bench.write(Sound.piece(seconds: 1), as: "a.wav")
    try #require(mkfifo(bench.path("out.wav"), 0o600) == 0)
    let outcome = try bench.start(["play", "--output", bench.path("out.wav"), file]).wait(seconds: 20)
    #expect(outcome.status != 0 && outcome.errors.contains("is a pipe or a socket"), "\(outcome)")
  }
}
