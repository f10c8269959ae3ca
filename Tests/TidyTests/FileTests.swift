// Each file begins by saying what it is, and none grows too long.

import Foundation
import Testing

/// What a file looks like from outside.
enum FileRules {
  static let longest = 300

  /// Whether a file begins with a comment that says what it is.
  static func hasHead(_ file: SourceFile) -> Bool {
    var lines = file.lines.map { $0.trimmingCharacters(in: .whitespaces) }
    while let first = lines.first,
      first.isEmpty || first.hasPrefix("#!") || first.hasPrefix("// swift-tools-version")
    {
      lines.removeFirst()
    }
    guard let first = lines.first else { return true }
    let comments = file.ending == "py" ? ["\"\"\"", "#"] : ["//", "/*", "#", "\"\"\""]
    guard let sign = comments.first(where: first.hasPrefix) else { return false }
    return first.dropFirst(sign.count).contains { $0.isLetter }
  }

  /// Sentences about files that are longer than 300 lines and not listed, and about lines of the list that are not needed.
  static func lengthViolations(_ files: [SourceFile], listed: [String]) -> [String] {
    var listed = Set(listed)
    var violations: [String] = []
    for file in files {
      let count = file.lines.count - 1
      let isListed = listed.remove(file.path) != nil
      if count > longest, !isListed {
        violations.append("\(file.path) has \(count) lines, more than \(longest): split it")
      } else if count <= longest, isListed {
        violations.append("\(file.path) has \(count) lines: take it off the list")
      }
    }
    return violations + listed.sorted().map { "\($0) is listed and does not exist" }
  }
}

@Suite struct FileTests {
  private let tree = SourceTree.whole

  @Test func filesSayWhatTheyAre() {
    var files = tree.files(in: ["Sources", "Tools", "Tests", "Fuzz", "boards"], ["swift", "c", "h", "py"])
    files += tree.files.filter {
      $0.path.hasPrefix("scripts/") || $0.path.hasPrefix(".ci/") || $0.path == "Package.swift"
    }
    #expect(files.count > 500)
    #expect(files.filter { !FileRules.hasHead($0) && $0.ending != "md" }.map(\.path) == [])
  }

  @Test func filesAreShort() {
    #expect(
      FileRules.lengthViolations(
        tree.swift(in: "Sources", "Tools", "Tests"), listed: tree.list("Tests/TidyTests/Rules/long-files.txt")
      ) == [])
  }

  @Test func noticesWhatIsPlanted() {
    func file(_ text: String) -> SourceFile { SourceFile(path: "Sources/A/Planted.swift", text: text) }
    #expect(FileRules.hasHead(file("// What it is.\nimport A\n")))
    #expect(!FileRules.hasHead(file("import A\n")))
    #expect(!FileRules.hasHead(file("//\nimport A\n")))
    let long = file(String(repeating: "\n", count: 301))
    #expect(
      FileRules.lengthViolations([long], listed: []) == [
        "Sources/A/Planted.swift has 301 lines, more than 300: split it"
      ])
    #expect(FileRules.lengthViolations([long], listed: ["Sources/A/Planted.swift"]) == [])
    #expect(
      FileRules.lengthViolations([file("\n")], listed: ["Sources/A/Planted.swift", "Gone.swift"])
        .count == 2)
  }
}
