// Comments and commit subjects keep to the style of CONTRIBUTING.md. Runs scripts/check-language and git; test threads.

import Foundation
import Testing

@Suite struct LanguageTests {
  /// The last commit before subjects were checked.
  private static let base = "c7af2824d15960f5985b9a5644b9d523a0e02c7d"

  /// What is wrong with a commit's subject; nil if nothing is.
  static func violation(_ subject: String) -> String? {
    if subject.hasPrefix("Merge ") || subject.hasPrefix("Revert ") { return nil }
    if subject.count > 72 { return "\(subject): longer than 72 characters" }
    let parts = subject.components(separatedBy: ": ")
    guard parts.count >= 2, !parts[0].isEmpty, parts[0].first?.isUppercase == false else {
      return "\(subject): does not begin with an area, such as 'mixer: '"
    }
    if subject.hasSuffix(".") { return "\(subject): ends with a full stop" }
    return nil
  }

  @Test func commentsHaveFewMarkerWords() throws {
    let result = try ShellCommand("scripts/check-language").run()
    #expect(result.status == 0, "\(result.output)\n`scripts/check-language --list` prints the places")
  }

  /// A copy of the sources without their history has nothing to compare.
  @Test func newSubjectsNameAnArea() throws {
    let log = try ShellCommand("git", "log", "--no-merges", "--format=%s", Self.base + "..HEAD").run()
    guard log.status == 0 else { return }
    #expect(log.output.split(separator: "\n").compactMap { Self.violation(String($0)) } == [])
  }

  @Test func noticesWhatIsPlanted() {
    #expect(Self.violation("mixer: keep the fade's index across a rewind") == nil)
    #expect(Self.violation("Keep the fade's index") != nil)
    #expect(Self.violation("Mixer: keep the fade's index") != nil)
    #expect(Self.violation("mixer: " + String(repeating: "x", count: 80)) != nil)
  }
}
