// Each declaration is used, and not only by tests. A name that occurs once in the program counts as unused:
// simple and without false positives, but it misses unused names that another declaration shares. Test
// threads.

import Foundation
import Testing

/// Declarations whose names occur nowhere else.
struct DeadDeclarations {
  private(set) var names: [String] = []

  /// Finds the declarations in `files` that neither these files nor `users` of their public interface
  /// mention.
  init(_ files: [SourceFile], users: [SourceFile] = []) {
    var count: [String: Int] = [:]
    for file in files + users {
      for word in SwiftText(file.text).words { count[word, default: 0] += 1 }
    }
    for file in files {
      for declaration in Declaration.all(in: file.text)
      where !declaration.isEntry && !declaration.modifiers.contains("override") {
        for name in Self.names(of: declaration) where count[name] == 1 && name != "_" {
          names.append("\(PackageManifest.whole.module(of: file.path)): \(name)")
        }
      }
    }
    names.sort()
  }

  /// The names of a declaration: several for `case a, b`.
  private static func names(of declaration: Declaration) -> [String] {
    guard declaration.keyword == "case" else { return declaration.name.isEmpty ? [] : [declaration.name] }
    var depth = 0
    let flat = String(
      declaration.signature.filter { character in
        if character == "(" { depth += 1 }
        if character == ")" { depth -= 1 }
        return depth == 0 && character != ")"
      })
    return flat.replacing("case ", with: "").replacing("indirect ", with: "").split(separator: ",").map {
      $0.split(separator: "=")[0].trimmingCharacters(in: .whitespaces).replacing("`", with: "")
    }
  }
}

@Suite struct DeadDeclarationTests {
  @Test func everythingIsUsed() {
    let tree = SourceTree.whole
    let allowed = Set(tree.list("Tests/TidyTests/Rules/unused.txt"))
    let found = DeadDeclarations(
      tree.swift(in: "Sources", "Tools", "Fuzz"), users: tree.swift(in: "examples")
    ).names
    #expect(found.filter { !allowed.contains($0) } == [], "remove what nothing in the program uses")
    #expect(allowed.subtracting(found).sorted() == [], "take these off Tests/TidyTests/Rules/unused.txt")
  }

  @Test func noticesWhatIsPlanted() {
    let text = """
      // A file.
      struct Used {
        /// unused is a comment, and counts for nothing.
        func unused() { print("nothing") }
        func used() {}
        enum Kind { case one, two(Int), three }
        let text = "\\(inString)"
        static let inString = 1
        enum Wide {
          case alone(used: Int), together
        }
      }
      let x = Used().used
      let y = [Used.Wide.together, x, y]
      """
    let dead = DeadDeclarations([SourceFile(path: "Sources/A/A.swift", text: text)])
    #expect(dead.names == ["Kind", "alone", "text", "unused"].map { "A: " + $0 })
  }
}
