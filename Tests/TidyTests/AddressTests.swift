// The project's addresses are in packaging/addresses and in no other file. Test threads.

import Foundation
import Testing

/// The addresses in packaging/addresses, and the rule that no other file contains them.
struct ProjectAddresses {
  /// By key, such as `HOMEPAGE`.
  let values: [String: String]

  init(_ lines: [String]) {
    values = Dictionary(
      lines.compactMap { line in
        guard let equals = line.firstIndex(of: "=") else { return nil }
        return (String(line[..<equals]), String(line[line.index(after: equals)...]))
      }, uniquingKeysWith: { first, _ in first })
  }

  /// The host names in the addresses, including those of mail addresses.
  var hosts: Set<String> {
    Set(
      values.values.compactMap { value in
        let begin = value.range(of: "://")?.upperBound ?? value.range(of: "@")?.upperBound
        return begin.map { String(value[$0...].prefix { $0.isLetter || $0.isNumber || ".-".contains($0) }) }
      })
  }

  /// The lines that contain one of the hosts.
  func places(in files: [SourceFile]) -> [String] {
    files.flatMap { file in
      file.lines.enumerated().compactMap { number, line in
        hosts.contains { line.contains($0) } ? "\(file.path):\(number + 1)" : nil
      }
    }
  }
}

@Suite struct AddressTests {
  private let tree = SourceTree.whole
  private let addresses = ProjectAddresses(SourceTree.whole.list("packaging/addresses"))

  @Test(arguments: ["HOMEPAGE", "SOURCE", "ISSUES", "DOWNLOADS", "PACKAGE_SOURCE", "MAINTAINER"])
  func anAddressIsStated(key: String) throws {
    let value = try #require(addresses.values[key])
    if key == "MAINTAINER" {
      #expect(value.contains(/^[^<>]+ <[^<>@ ]+@[^<>@ ]+>$/))
    } else {
      #expect(value.hasPrefix("https://") && URL(string: value)?.host() != nil)
    }
  }

  @Test func noOtherFileStatesOne() {
    #expect(!addresses.hosts.isEmpty)
    let files = tree.files.filter { $0.path != "packaging/addresses" }
    #expect(addresses.places(in: files) == [], "take it from packaging/addresses")
  }

  /// Each address key that a script uses is defined.
  @Test func scriptsAskForWhatIsStated() {
    let asked = tree.files.filter { $0.path.hasPrefix("scripts/") || $0.path.hasPrefix(".github/") }.flatMap {
      $0.text.matches(of: /\$\(address ([A-Z_]+)\)/).map { String($0.1) }
    }
    #expect(Set(asked).subtracting(addresses.values.keys) == [])
    #expect(Set(asked).isSuperset(of: ["HOMEPAGE", "MAINTAINER", "PACKAGE_SOURCE"]))
  }

  @Test func noticesWhatIsPlanted() {
    let planted = ProjectAddresses(["HOMEPAGE=https://box.example/", "MAINTAINER=A <a@post.example>"])
    func file(_ text: String) -> SourceFile { SourceFile(path: "docs/a.md", text: text) }
    #expect(planted.hosts == ["box.example", "post.example"])
    #expect(planted.places(in: [file("one\nsee https://box.example/apt\n")]) == ["docs/a.md:2"])
    #expect(planted.places(in: [file("write to b@post.example")]) == ["docs/a.md:1"])
    #expect(planted.places(in: [file("see https://debian.example/")]) == [])
  }
}
