// An integration reads the box's responses in `lines` format as they were written. Test threads.

import Console
import Testing

@testable import Integrations

@Suite struct BoxAnswerTests {
  private static let evil = "a\\b\nc\u{1B}[31m\u{7F}\r\tü\0: - *"

  private func read(_ bytes: [UInt8], inPieces size: Int = .max) -> [BoxAnswer] {
    var reader = BoxAnswerReader()
    var answers: [BoxAnswer] = []
    var rest = bytes[...]
    while !rest.isEmpty {
      answers += reader.take(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return answers
  }

  @Test(arguments: [1, 7, 4096]) func whatIsWrittenIsRead(size: Int) throws {
    let reply = Reply.ok(
      Answer(
        "done",
        fields: [Field("state", Self.evil), Field("n", 5), Field("gone", .none), Field("isOn", true)],
        rows: [
          Row("x", [Field("path", Self.evil), Field("length", .decimal(1.5, decimals: 3))]),
          Row("text alone"),
        ]))
    let bytes =
      reply.rendered(.lines) + Notice("track", "t", [Field("path", Self.evil)]).rendered(.lines)
      + Reply.failed("no: \(Self.evil)").rendered(.lines)
      + Reply.error(ConsoleError(.outdated, "changed")).rendered(.lines)
    let answers = read(bytes, inPieces: size)
    try #require(answers.count == 3 && answers[2] == .outdated("changed"))
    guard case .done(let fields, let rows) = answers[0] else { throw Unexpected() }
    #expect(
      fields["state"] == Self.evil && fields.integer("n") == 5 && fields["gone"] == nil && fields.isOn("isOn")
    )
    #expect(
      rows.count == 2 && rows[0]["path"] == Self.evil && rows[0]["length"] == "1.500"
        && rows[1]["text"] == "text alone")
    // An error message is a single line.
    #expect(answers[1] == .refused("no: a\\b"))
  }

  private struct Unexpected: Error {}

  @Test func anAnswerWithoutEndIsNotKept() {
    var reader = BoxAnswerReader()
    for _ in 0..<40 { #expect(reader.take(Array(repeating: 0x41, count: 4096)).isEmpty) }
    #expect(reader.isTooLong)
  }

  /// Arbitrary bytes cause no trap, and only complete responses are reported.
  @Test func anyBytesAreRead() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<300 {
      let alphabet: [UInt8] = [0x0A, 0x20, 0x2D, 0x2A, 0x3A, 0x5C, 0x78, 0x6F, 0x6B, 0x30, 0xFF]
      _ = read((0..<200).map { _ in alphabet.randomElement(using: &random)! }, inPieces: 13)
    }
  }
}
