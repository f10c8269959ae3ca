// The recipes of docs/using/live.md, run with substitutes for the programs that they name. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct LiveRecipeTests {
  private static let repository = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The source declarations of the document below a heading.
  private static func lines(_ heading: String) throws -> [String] {
    let document = try String(
      contentsOf: repository.appendingPathComponent("docs/using/live.md"), encoding: .utf8)
    let section = try #require(
      document.components(separatedBy: "\n## ").first { $0.hasPrefix(heading + "\n") })
    return section.split(separator: "\n").filter { $0.hasPrefix("source ") }.map(String.init)
  }

  /// A program that logs its arguments and, once the file `go` exists, writes a constant sound of CD quality
  /// for three seconds.
  private static func program(_ name: String, in bench: Workbench) throws {
    let script = """
      #!/usr/bin/env python3
      import os, struct, sys, time
      folder = os.path.dirname(os.path.dirname(os.path.abspath(sys.argv[0])))
      open(folder + "/asked", "a").write(" ".join(sys.argv[1:]) + "\\n")
      while not os.path.exists(folder + "/go"):
          time.sleep(0.02)
      block = struct.pack("<h", -8000) * 2 * 441
      begin = time.monotonic()
      for number in range(300):
          os.write(1, block)
          time.sleep(max(0, begin + number / 100 - time.monotonic()))
      os.unlink(folder + "/go")

      """
    try FileManager.default.createDirectory(atPath: bench.path("bin"), withIntermediateDirectories: true)
    let path = try bench.write(Data(script.utf8), as: "bin/" + name)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  @Test(
    arguments: [
      ("AirPlay", "airplay", "shairport-sync", "-a Kitchen -o stdout", 250),
      ("Bluetooth", "bluetooth", "arecord", "-q -D plug:bluealsa -t raw -f cd", 400),
    ])
  func aRecipeIsHeardAndGivesBack(
    heading: String, source: String, program: String, asked: String, latency: Int
  ) throws {
    let bench = try Workbench()
    try Self.program(program, in: bench)
    let lines = try Self.lines(heading)
    try #require(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("source \(source) ") })
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    let box = try BoxRig(lines, bench: bench, environment: ["PATH": bench.path("bin") + ":" + path])
    try box.tracks(1...1, seconds: 20)
    try box.tell("play 1.wav")
    try box.hears { $0.last.map { $0.positions.count > 20_000 } ?? false }
    try bench.write(Data(), as: "go")
    let isHeard = bench.waits { (try? box.fields()["source"]) == source }
    try #require(isHeard, "\(box.daemon.errorsSoFar)")
    #expect(try String(contentsOfFile: bench.path("asked"), encoding: .utf8).hasPrefix(asked + "\n"))
    var shown = 0
    let isSteady = bench.waits {
      shown = (try? box.fields()["source-latency-ms"]).flatMap { $0.flatMap { Int($0) } } ?? shown
      return abs(shown - latency) < latency / 4
    }
    #expect(isSteady, "\(shown) ms")
    try box.hears { $0.count >= 2 && $0.last!.positions.count > 20_000 }
    let (before, after) = (box.card.segments[0], box.card.segments[1])
    #expect((17_635...17_640).contains(after.positions.lowerBound - before.positions.upperBound + 1))
  }

  /// The boards' profiles contain the recipes.
  @Test func boardsHaveTheRecipes() throws {
    let boards = Self.repository.appendingPathComponent("boards")
    let recipes = try [Self.lines("AirPlay")[0], Self.lines("Bluetooth")[0]]
    for name in ["generic-linux", "raspberry-pi-3", "raspberry-pi-zero-2w"] {
      let profile = try String(contentsOf: boards.appendingPathComponent(name + "/profile"), encoding: .utf8)
      for recipe in recipes { #expect(profile.contains("\n# " + recipe + "\n"), "\(name): \(recipe)") }
    }
  }
}
