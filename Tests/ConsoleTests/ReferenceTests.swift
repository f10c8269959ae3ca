// docs/reference/console.md matches the program's own description. Test threads.

import Console
import Foundation
import Testing

@Suite struct ReferenceTests {
  @Test func documentIsNotStale() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/reference/console.md").standardizedFileURL
    // Set SWIFTLET_WRITE_REFERENCE to write the file without building the program.
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_REFERENCE"] != nil {
      try Data(Reference.markdown.utf8).write(to: file)
    }
    let written = try String(contentsOf: file, encoding: .utf8)
    // Compared outside of `#expect`, which would print both.
    let isCurrent = written == Reference.markdown
    #expect(
      isCurrent,
      "docs/reference/console.md is stale: write it again with `swiftlet help --markdown > docs/reference/console.md`"
    )
  }

  @Test func namesEverything() {
    let page = Reference.markdown
    for command in Interpreter.commands { #expect(page.contains("`" + command.usage + "`")) }
    for setting in Setting.allCases { #expect(page.contains("| `" + setting.key + "`")) }
  }

  @Test func helpAnswersEveryTopic() throws {
    var topics = ["help", "help settings"] + Setting.allCases.map { "help " + $0.key }
    for command in Interpreter.commands { topics += ([command.name] + command.aliases).map { "help " + $0 } }
    for line in topics {
      guard case .help(let topic)? = try Interpreter.parse(line) else {
        Issue.record("\(line) is not help")
        continue
      }
      let answer = topic.answer
      #expect(!answer.rows.isEmpty, "\(line)")
      for format in ReplyFormat.allCases {
        #expect(Reply.ok(answer).rendered(format).count < 32 * 1024, "\(line)")
      }
    }
  }
}
