// Worlds that once revealed faults, as regression tests. Test threads.

import Foundation
import Testing

@testable import Simulator

@Suite struct ScriptTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

  static var scripts: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".sim") }.sorted()
  }

  @Test(arguments: scripts) func whatWasMendedStaysMended(script: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: script), encoding: .utf8)
    // A script starts with a description of the fault.
    #expect(text.hasPrefix("# "))
    let outcome = Simulation(try World(text: text)).run()
    #expect(outcome.violation == nil)
  }

  /// A lost frame is found even where the sound has more than one explanation. Times are in seconds.
  @Test(
    arguments: [
      ("fade-of-a-ramp-at-a-truncated-end", 23.324), ("next-where-marks-are-alike", 44.845),
      ("next-where-a-batch-begins", 232.932), ("fade-withdrawn-within-missing-frames", 26.68),
      ("steep-fade-behind-a-seek", 21.487), ("end-found-within-a-fade", 21.5),
      ("order-in-the-first-frames-of-a-fade", 476.32),
    ])
  func aLostFrameIsFound(script: String, moment: Double) throws {
    let text = try String(contentsOf: Self.folder.appending(path: script + ".sim"), encoding: .utf8)
    let simulation = Simulation(try World(text: text))
    let (scheduler, begin) = (simulation.scheduler, simulation.scheduler.now)
    var isLost = false
    simulation.oracle.spoiler = { _, left, right in
      guard !isLost, Double(scheduler.now - begin) / 1e9 >= moment, left != 0 else { return [(left, right)] }
      isLost = true
      return []
    }
    let outcome = simulation.run()
    let rule = outcome.violation?.rule
    #expect(rule != nil && abs(Double(outcome.duration) / 1e9 - moment) < 1, "\(outcome.duration)")
  }

  @Test func thereAreScripts() { #expect(!Self.scripts.isEmpty) }
}
