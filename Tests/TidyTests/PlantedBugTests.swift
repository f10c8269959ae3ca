// The lists of mutations. They are only checked for form here; scripts/check-mutations applies them, which
// takes minutes. Test threads.

import Foundation
import Testing

@Suite struct PlantedBugTests {
  /// The code that a mutation replaces must occur exactly once, so a change of that code is noticed here.
  @Test func everyBugHasItsPlace() throws {
    let tree = SourceTree.whole
    var misplaced: [String] = []
    var count = 0
    for list in tree.files where list.path.hasPrefix("Tests/Mutations/") && list.ending == "txt" {
      for bug in ("\n" + list.text).components(separatedBy: "\n== ").dropFirst() {
        count += 1
        let lines = bug.components(separatedBy: "\n")
        let path = try #require(lines.first { $0.hasPrefix("file: ") }).dropFirst(6)
        let replaced = try #require(bug.components(separatedBy: "\n---\n").dropFirst().first)
          .components(separatedBy: "\n+++")[0]
        let text = tree.files.first { $0.path == path }?.text ?? ""
        let places = text.components(separatedBy: replaced).count - 1
        if places != 1 {
          misplaced.append(
            "\(list.path): what '\(lines[0])' replaces is found \(places) times in \(path); bring it up to date"
          )
        }
      }
    }
    #expect(misplaced == [])
    #expect(count >= 40)
  }
}
