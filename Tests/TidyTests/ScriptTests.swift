// Functions of the scripts, called without running the scripts. Test threads.

import Foundation
import Testing

@Suite struct ScriptTests {
  /// Runs lines of bash with a function of a script. Returns the status and the output.
  private static func run(
    _ function: String, of path: String, _ lines: String, _ argument: String = ""
  ) throws -> ShellCommand.Result {
    let script = try #require(SourceTree.whole.files.first { $0.path == path }).text
    let begin = try #require(script.range(of: "\n\(function)() {\n"))
    let end = try #require(script.range(of: "\n}\n", range: begin.upperBound..<script.endIndex))
    let words = """
      set -euo pipefail
      script_name=test
      fail() { echo "$*"; exit 9; }
      \(script[begin.lowerBound..<end.upperBound])
      \(lines)
      """
    return try ShellCommand("/bin/bash", "-c", words, argument).run()
  }

  private static let names = SourceTree.whole.files.map(\.path)
    .filter { $0.hasPrefix("scripts/") && !$0.hasSuffix(".md") && $0 != "scripts/common.sh" }.sorted()

  /// A script handles `--help` before anything else, so that it has no side effects.
  @Test(arguments: names) func everyScriptExplainsItself(path: String) throws {
    let text = try #require(SourceTree.whole.files.first { $0.path == path }).text
    let firstCommand = text.split(separator: "\n").first { !$0.hasPrefix("#") }
    let readsHelpFirst = text.contains("--help") || text.contains("argparse")
    try #require(firstCommand?.hasPrefix("source \"$(dirname") == true || readsHelpFirst)

    let result = try ShellCommand(path, "--help").run()
    #expect(result.status == 0)
    #expect(result.output.utf8.count > 80)
  }

  /// A misspelled filter would look like a pass.
  @Test(
    arguments: [
      (0, "Test run with 3 tests in 1 suite passed", 0), (0, "Test run with 0 tests in 0 suites passed", 9),
      (0, "", 9), (1, "Test run with 12 tests in 2 suites failed", 1), (139, "Test run with 3 tests", 1),
    ] as [(Int, String, Int32)])
  func aRunWithoutATestFails(status: Int, output: String, expected: Int32) throws {
    let lines = """
      output=$(mktemp)
      trap 'rm -f "$output"' EXIT
      printf '%s\\n' "$0" >"$output"
      judge \(status) "$output"
      """
    #expect(try Self.run("judge", of: "scripts/test", lines, output).status == expected)
  }

  @Test(
    arguments: [
      (":", ""),
      ("rm b.spdx.json", "b.deb has no bill of materials"),
      ("cp a.spdx.json b.spdx.json", "b.deb has the bill of materials of another package"),
      (": >a.built-against", "a.deb has no list of what it was built against"),
    ] as [(String, String)])
  func aReleaseWithoutAPackagesPapersFails(change: String, expected: String) throws {
    let lines = """
      folder=$(mktemp -d)
      trap 'rm -rf "$folder"' EXIT
      cd "$folder"
      for name in a b; do
        echo $name >$name.deb
        sha256sum $name.deb >$name.spdx.json
        echo libc6 2.36 >$name.built-against
      done
      \(change)
      check_papers .
      """
    let result = try Self.run("check_papers", of: "scripts/release", lines)
    #expect(result.status == (expected.isEmpty ? 0 : 9))
    #expect(expected.isEmpty ? result.output.isEmpty : result.output.hasPrefix(expected))
  }

  @Test(arguments: [(0, 0, "1\n"), (2, 0, "3\n"), (4, 0, "5\n"), (5, 1, "5\n")] as [(Int, Int32, String)])
  func aMirrorIsAskedFiveTimesAtMost(failures: Int, status: Int32, tries: String) throws {
    let lines = """
      sleep() { :; }
      tries=0
      ask() { tries=$((tries + 1)); [ $tries -gt \(failures) ]; }
      status=0
      persistently ask || status=$?
      echo $tries
      exit $status
      """
    let ran = try Self.run("persistently", of: "scripts/common.sh", lines)
    #expect(ran.status == status)
    #expect(ran.output == tries)
  }
}
