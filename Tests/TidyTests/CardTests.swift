// What prepares a card, and what reads it at each start: their own tests, which are Python, as the program is that makes cards. Test threads.

import Foundation
import Testing

@Suite struct CardTests {
  private static let files = SourceTree.whole.files.map(\.path).filter {
    $0.hasPrefix("Tests/Card/") && $0.hasSuffix(".py")
  }

  @Test func theyAreFound() {
    #expect(Set(Self.files).isSuperset(of: ["Tests/Card/make_card.py", "Tests/Card/card_script.py"]))
  }

  @Test(arguments: files) func theyPass(path: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-B", SourceTree.root.appending(path: path).path]
    process.standardOutput = output
    process.standardError = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0, "\(text.suffix(4000))")
    let ran = text.contains(/Ran [1-9][0-9]* tests/)
    #expect(ran, "\(text.suffix(400))")
  }
}
