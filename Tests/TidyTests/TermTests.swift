// Terms that the glossary has replaced do not return in prose or in names. Test threads.

import Foundation
import Testing

/// A line of Tests/TidyTests/Rules/replaced-terms.txt: `TERM | INSTEAD | FOLDERS | COUNT`.
struct ReplacedTerm {
  let term: String
  let instead: String
  /// Folders in which the term may not occur; empty for all files.
  let folders: [String]
  /// The number of occurrences left from before; it may only be lowered.
  let most: Int

  init?(_ line: String) {
    let parts = line.split(separator: "|", omittingEmptySubsequences: false).map {
      $0.trimmingCharacters(in: .whitespaces)
    }
    guard parts.count == 4, let most = Int(parts[3]) else { return nil }
    (term, instead, self.most) = (parts[0], parts[1], most)
    folders = parts[2].split(separator: " ").map(String.init)
  }

  /// Counts a term in a text: as a word, and as part of a camel-case name.
  func count(in text: String) -> Int {
    let bytes = Array(text.utf8)
    let wanted = Array(term.utf8)
    let isName = term.first?.isUppercase == true
    var count = 0
    var place = 0
    while place + wanted.count <= bytes.count {
      guard bytes[place] == wanted[0], bytes[place..<(place + wanted.count)].elementsEqual(wanted) else {
        place += 1
        continue
      }
      let before = place > 0 ? bytes[place - 1] : 0x20
      let after = place + wanted.count < bytes.count ? bytes[place + wanted.count] : 0x20
      let beginsHere = !SwiftText.isWord(before) || (isName && !(0x41...0x5A).contains(before))
      let endsHere =
        !SwiftText.isWord(wanted[wanted.count - 1]) || !SwiftText.isWord(after)
        || (isName && !(0x61...0x7A).contains(after))
      if beginsHere, endsHere { count += 1 }
      place += wanted.count
    }
    return count
  }

  /// The places of a term if there are more than permitted; otherwise empty.
  func violations(_ files: [SourceFile]) -> [String] {
    var sum = 0
    var places: [String] = []
    for file in files
    where folders.isEmpty || folders.contains(where: { file.path == $0 || file.path.hasPrefix($0 + "/") }) {
      let count = count(in: file.text)
      if count > 0 { places.append("\(file.path) (\(count))") }
      sum += count
    }
    guard sum > most else { return [] }
    return [
      "'\(term)' is written \(sum) times, \(most) are left from before; say '\(instead)' instead: "
        + places.joined(separator: ", ")
    ]
  }
}

@Suite struct TermTests {
  private let list = "Tests/TidyTests/Rules/replaced-terms.txt"

  @Test func replacedTermsStayAway() throws {
    let tree = SourceTree.whole
    let files = tree.files.filter {
      !$0.path.hasPrefix("Tests/TidyTests/") && !["svg", "wav"].contains($0.ending)
        && !["CHANGELOG.md", "docs/reference/api.txt"].contains($0.path)
    }
    let lines = tree.list(list)
    #expect(!lines.isEmpty)
    for line in lines {
      let term = try #require(ReplacedTerm(line), "'\(line)' is not 'TERM | INSTEAD | FOLDERS | COUNT'")
      #expect(term.violations(files) == [])
    }
  }

  @Test func noticesWhatIsPlanted() throws {
    let name = try #require(ReplacedTerm("Desk | Controller | | 0"))
    #expect(name.count(in: "GestureDesk Desktop DeskLight desk") == 2)
    let path = try #require(ReplacedTerm("shared/ | docs/ | | 0"))
    #expect(path.count(in: "shared/a.md unshared/b shared") == 1)
    let word = try #require(ReplacedTerm("patience | timeout | docs README.md | 1"))
    #expect(word.count(in: "patience, impatience patienceNanoseconds") == 1)
    func file(_ path: String) -> SourceFile { SourceFile(path: path, text: "patience") }
    #expect(word.violations([file("docs/a.md"), file("Sources/a.swift")]) == [])
    #expect(word.violations([file("docs/a.md"), file("README.md")]).count == 1)
  }
}
