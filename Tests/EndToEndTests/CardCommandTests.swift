// `swiftlet card` as a program: its files, messages and exit status. Test threads.

import ChildSupport
import Foundation
import Testing

@Suite struct CardCommandTests {
  private func apply(_ bench: Workbench, _ more: String...) throws -> Outcome {
    try bench.start(
      [
        "card", "--from", bench.path("card"), "--config", bench.path("box"),
        "--former=" + bench.path("former"),
        "--errors", bench.path("errors.txt"),
      ] + more
    ).wait(seconds: 60)
  }

  private func text(_ bench: Workbench, _ name: String) -> String? {
    FileManager.default.contents(atPath: bench.path(name)).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func theStatusSaysWhatBecameOfIt() throws {
    let bench = try Workbench()
    try bench.write(Data("# box\n".utf8), as: "box")
    let missing = try apply(bench)
    #expect(missing.status == 0 && missing.output.isEmpty && missing.errors.isEmpty, "\(missing)")
    try bench.write(Data("board raspbery-pi-4\r\nset fade.length 5\r\n".utf8), as: "card")
    let wrong = try apply(bench)
    #expect(wrong.status == 2 && wrong.errors.contains("card, line 1: there is no board"), "\(wrong)")
    #expect(text(bench, "box") == "# box\nset fade.length 5\nboard raspbery-pi-4\n")
    #expect(text(bench, "box.bak") == "# box\n")
    let report = text(bench, "errors.txt") ?? ""
    #expect(
      report.contains("did you mean 'raspberry-pi-4'?\r\n") && report.contains("file card.\r\n"), "\(report)")
    let again = try apply(bench)
    #expect(again.status == 0 && again.output.isEmpty && again.errors.isEmpty, "\(again)")
    try bench.write(Data("board raspberry-pi-4\r\nset fade.length 5\r\n".utf8), as: "card")
    let right = try apply(bench)
    #expect(right.status == 0 && right.output.contains("is applied to") && right.errors.isEmpty, "\(right)")
    #expect(text(bench, "box") == "board raspberry-pi-4\n# box\nset fade.length 5\n")
    #expect(text(bench, "errors.txt") == nil)
  }

  @Test func whatCannotBeAppliedIsSaid() throws {
    let bench = try Workbench()
    try bench.write(Data([0x50, 0x4B, 3, 4]), as: "card")
    let binary = try apply(bench)
    #expect(
      binary.status == 1 && binary.errors.contains("card was not applied: the file is not plain text"),
      "\(binary)")
    #expect(text(bench, "box") == nil && text(bench, "errors.txt")?.contains("Notepad") == true)
    // The box's file must not be replaced through a link.
    try bench.write(Data("set fade.length 5\n".utf8), as: "card")
    try bench.write(Data("precious".utf8), as: "canary")
    try FileManager.default.createSymbolicLink(
      atPath: bench.path("box"), withDestinationPath: bench.path("canary"))
    let link = try apply(bench)
    #expect(link.status == 1 && link.errors.contains("is a symbolic link"), "\(link)")
    #expect(text(bench, "canary") == "precious" && text(bench, "former") == nil)
    for arguments in [["card"], ["card", "--from", "a", "--config", "b"], ["card", "--from"]] {
      let usage = try bench.start(arguments).wait(seconds: 60)
      #expect(usage.status == 64 && usage.errors.contains("swiftlet card: "), "\(usage)")
    }
  }
}
