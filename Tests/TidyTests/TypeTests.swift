// No type has too many stored properties: one that has is several.

import Testing

/// Types and what they store.
enum TypeRules {
  static let most = 15

  /// Sentences about types with more stored properties than that which are not listed, and about lines of the list that
  /// are not needed.
  static func violations(_ files: [SourceFile], listed: [String]) -> [String] {
    var listed = Set(listed)
    var violations: [String] = []
    for file in files {
      var counts: [String: Int] = [:]
      for declaration in Declaration.all(in: file.text) where declaration.isStored {
        counts[declaration.context.joined(separator: "."), default: 0] += 1
      }
      for (type, count) in counts.sorted(by: { $0.key < $1.key }) {
        let isListed = listed.remove("\(file.path): \(type)") != nil
        if count > most, !isListed {
          violations.append(
            "\(file.path): \(type) has \(count) stored properties, more than \(most): divide it")
        } else if count <= most, isListed {
          violations.append("\(file.path): \(type) has \(count) stored properties: take it off the list")
        }
      }
    }
    return violations + listed.sorted().map { "\($0) is listed and does not exist" }
  }
}

@Suite struct TypeTests {
  @Test func typesAreSmall() {
    let tree = SourceTree.whole
    #expect(
      TypeRules.violations(
        tree.swift(in: "Sources", "Tools", "Tests"),
        listed: tree.list("Tests/TidyTests/Rules/large-types.txt")
      ) == [])
  }

  @Test func noticesWhatIsPlanted() {
    let stored = (1...14).map { "  var p\($0) = \($0)\n" }.joined()
    func violations(_ more: String, listed: [String] = []) -> [String] {
      let text = "// A file.\nstruct Large {\n" + stored + more + "}\n"
      return TypeRules.violations([SourceFile(path: "A.swift", text: text)], listed: listed)
    }
    let small = """
        static let count = 1
        let a: Int
        var computed: Int { a }
        var both: Int {
          get { a }
        }
        func local() { let b = 1; print(b) }

      """
    #expect(violations(small) == [])
    let large = """
        let a: Int
        var observed = 1 { didSet { print(a) } }

      """
    #expect(violations(large) == ["A.swift: Large has 16 stored properties, more than 15: divide it"])
    #expect(violations(large, listed: ["A.swift: Large"]) == [])
    #expect(violations(small, listed: ["A.swift: Large", "Gone.swift: Gone"]).count == 2)
  }
}
