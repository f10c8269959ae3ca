// Each file starts with a description. Test threads.

import Foundation
import Testing

/// Rules about the form of a file.
enum FileRules {
  /// Whether a file starts with a comment that describes it.
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

  @Test func noticesWhatIsPlanted() {
    func file(_ text: String) -> SourceFile { SourceFile(path: "Sources/A/Planted.swift", text: text) }
    #expect(FileRules.hasHead(file("// What it is.\nimport A\n")))
    #expect(!FileRules.hasHead(file("import A\n")))
    #expect(!FileRules.hasHead(file("//\nimport A\n")))
  }
}
