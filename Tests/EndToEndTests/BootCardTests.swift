// Runs the Python tests of the scripts that prepare a card and read it at startup. Test threads.

import Foundation
import Testing

@Suite struct BootCardTests {
  private static let repository = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  @Test(arguments: ["make_card", "card_script"]) func theyPass(name: String) throws {
    let process = Process()
    let output = Pipe()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", "-B", Self.repository.appending(path: "Tests/Card/\(name).py").path]
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
