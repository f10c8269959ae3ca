// The hosted CI workflows, which are not run here: their scripts and files exist, and their shell lines are
// valid bash. Test threads.

import Foundation
import Testing

/// A workflow, as far as it can be checked without running it.
struct Workflow {
  let file: SourceFile

  /// The shell text of each `run:`.
  var runs: [String] {
    var found: [String] = []
    var block: (indent: Int, lines: [String])?
    for line in file.lines {
      let indent = line.prefix { $0 == " " }.count
      if let open = block {
        if line.allSatisfy({ $0 == " " }) || indent > open.indent {
          block?.lines.append(String(line))
          continue
        }
        found.append(open.lines.joined(separator: "\n"))
        block = nil
      }
      guard let range = line.range(of: "run: "), line[..<range.lowerBound].allSatisfy({ " -".contains($0) })
      else { continue }
      let text = String(line[range.upperBound...])
      if text == "|" { block = (indent, []) } else { found.append(text) }
    }
    if let open = block { found.append(open.lines.joined(separator: "\n")) }
    return found
  }

  /// Paths of the repository in its lines, without those that a run creates.
  var paths: [String] {
    file.text.split { !($0.isLetter || $0.isNumber || "/._-".contains($0)) }.map(String.init).filter { word in
      ["scripts/", "packaging/", "Sources/", "boards/", "Tests/", ".ci/"].contains { word.hasPrefix($0) }
    }
  }
}

@Suite struct WorkflowTests {
  private static let names = SourceTree.whole.files.map(\.path).filter { $0.hasPrefix(".github/workflows/") }

  @Test func thereIsOneForChangesAndOneForReleases() {
    #expect(Set(Self.names) == [".github/workflows/ci.yml", ".github/workflows/release.yml"])
  }

  @Test(arguments: names) func everythingItNamesExists(path: String) throws {
    let tree = SourceTree.whole
    let file = try #require(tree.files.first { $0.path == path })
    let paths = Workflow(file: file).paths
    #expect(!paths.isEmpty)
    #expect(paths.filter { !tree.paths.contains($0) } == [])
  }

  @Test(arguments: names) func itsLinesAreBash(path: String) throws {
    let file = try #require(SourceTree.whole.files.first { $0.path == path })
    let runs = Workflow(file: file).runs
    #expect(runs.count >= 3)
    for run in runs {
      // Workflow expressions are substituted before bash reads the lines.
      let lines = run.replacing(/\$\{\{[^}]*\}\}/, with: "word")
      #expect(try ShellCommand("/bin/bash", "-n", "-c", lines).run().status == 0, "\(run)")
    }
  }

  /// It uploads the files that scripts/release and scripts/release-assets create.
  @Test func theReleaseIsWhatTheScriptsMake() throws {
    func text(_ path: String) throws -> String {
      try #require(SourceTree.whole.files.first { $0.path == path }).text
    }
    let workflow = try text(".github/workflows/release.yml")
    #expect(workflow.contains("# Not run yet"))
    #expect(try text("scripts/release").contains("\nrelease=.board/release\n"))
    #expect(try text("scripts/release").contains(">\"$release/NOTES.md\""))
    #expect(workflow.contains("--notes-file .board/release/NOTES.md .board/assets/*"))
    let assets = try text("scripts/release-assets")
    #expect(assets.contains("release=.board/release assets=.board/assets\n"))
    for part in ["*.{deb,spdx.json,built-against}", "cards/*.{zip,py}", "SHA256SUMS.asc"] {
      #expect(assets.contains(part))
    }
    #expect(try text("scripts/make-package-source").contains("to=$PWD/.board/release/apt "))
    #expect(try text("scripts/make-package-source").contains("$new/NOT-FOR-PUBLISHING.txt"))
    #expect(workflow.contains("path: .board/release/apt\n"))
  }

  @Test func noticesWhatIsPlanted() {
    let planted = Workflow(
      file: SourceFile(
        path: "a.yml",
        text:
          "steps:\n  - run: scripts/none --x\n  - name: A\n    run: |\n      echo a\n      echo b\n  - uses: c\n"
      ))
    #expect(planted.runs == ["scripts/none --x", "      echo a\n      echo b"])
    #expect(planted.paths == ["scripts/none"])
  }
}
