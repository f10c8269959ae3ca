// Worlds in which something was wrong once: none of them may be so again. Test threads.

import Foundation
import Simulator
import Testing

@Suite struct ScriptTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Scripts")

  static var scripts: [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.hasSuffix(".sim") }.sorted()
  }

  @Test(arguments: scripts) func whatWasMendedStaysMended(script: String) throws {
    let text = try String(contentsOf: Self.folder.appending(path: script), encoding: .utf8)
    // A script begins with what was wrong.
    #expect(text.hasPrefix("# "))
    let outcome = Simulation(try World(text: text)).run()
    #expect(outcome.violation == nil)
  }

  @Test func thereAreScripts() { #expect(!Self.scripts.isEmpty) }
}
