// What the scripts make of what they run, without running it.

import Foundation
import Testing

@Suite struct ScriptTests {
  /// The function of `scripts/test` that judges a run, given a run's status and output.
  private static func judge(status: Int, _ output: String) throws -> Int32 {
    let script = try #require(SourceTree.whole.files.first { $0.path == "scripts/test" }).text
    let begin = try #require(script.range(of: "judge() {\n"))
    let end = try #require(script.range(of: "\n}\n", range: begin.upperBound..<script.endIndex))
    let words = """
      set -euo pipefail
      script_name=test
      fail() { exit 9; }
      \(script[begin.lowerBound..<end.upperBound])
      output=$(mktemp)
      trap 'rm -f "$output"' EXIT
      printf '%s\\n' "$0" >"$output"
      judge \(status) "$output"
      """
    let process = Process()
    process.executableURL = URL(filePath: "/bin/bash")
    process.arguments = ["-c", words, output]
    process.standardError = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    return process.terminationStatus
  }

  /// A misspelt filter would look like a pass.
  @Test(
    arguments: [
      (0, "Test run with 3 tests in 1 suite passed", 0), (0, "Test run with 0 tests in 0 suites passed", 9),
      (0, "", 9), (1, "Test run with 12 tests in 2 suites failed", 1), (139, "Test run with 3 tests", 1),
    ] as [(Int, String, Int32)])
  func aRunWithoutATestFails(status: Int, output: String, expected: Int32) throws {
    #expect(try Self.judge(status: status, output) == expected)
  }
}
