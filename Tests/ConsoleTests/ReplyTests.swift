// Responses: their end, and that no content can break a line or a terminal. Test threads.

import Console
import Foundation
import Testing

private func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

private func object(_ bytes: [UInt8]) throws -> [String: Any] {
  #expect(bytes.last == 0x0A && bytes.dropLast().allSatisfy { $0 >= 0x20 && $0 != 0x7F })
  return try #require(try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])
}

@Suite struct ReplyTests {
  /// A list is an array in JSON, one line per text in `lines`, and a single text otherwise.
  @Test(arguments: [
    (ReplyFormat.json, "\"rows\":[{\"a\":[\"x\",\"y, \\\"z\\\"\"],\"b\":1},{\"a\":[],\"b\":2}]"),
    (.lines, "- a: x\n  a: y, \"z\"\n  b: 1\n- b: 2\nok\n"), (.text, "  a: x, y\n"),
  ]) func listsAreWritten(format: ReplyFormat, expected: String) {
    let rows = [
      Row("1", [Field("a", .list(["x", "y, \"z\""])), Field("b", 1)]),
      Row("2", [Field("a", .list([])), Field("b", 2)]),
    ]
    let answer = format == .text ? Answer(fields: [Field("a", .list(["x", "y"]))]) : Answer(rows: rows)
    let text = String(decoding: Reply.ok(answer).rendered(format), as: UTF8.self)
    #expect(text.contains(expected), "\(text)")
  }

  private static let evil = "a\u{1B}[2J\r\nok \"b\"\\ \u{9B}\u{7F}\u{0}ü\t"

  @Test func textOfAnAnswer() {
    let answer = Answer(
      "2 tracks",
      fields: [
        Field("volume", 40), Field("is-playing", true), Field("fade", .decimal(2.5, decimals: 1)),
        Field("night", .none),
      ], rows: [Row("1  So What"), Row("ok not the end")])
    #expect(
      text(Reply.ok(answer).rendered(.text)) == """
          volume:     40
          is-playing: yes
          fade:       2.5
          night:      -
          1  So What
          ok not the end
        ok 2 tracks

        """)
    #expect(text(Reply.ok().rendered(.text, lineEnd: .carriageReturnLineFeed)) == "ok\r\n")
    #expect(text(Reply.failed("no such file").rendered(.text)) == "error: no such file\n")
  }

  @Test func jsonOfAnAnswer() throws {
    let answer = Answer(
      "done \(Self.evil)",
      fields: [Field("path", Self.evil), Field("gain", .decimal(-0.5, decimals: 2)), Field("on", false)]
        + [Field("none", .none), Field("nan", .decimal(.nan, decimals: 1)), Field("big", Int.min)],
      rows: [Row("a", [Field("position", 1)]), Row("b")])
    let read = try object(Reply.ok(answer).rendered(.json))
    #expect(read["ok"] as? Bool == true)
    #expect(read["message"] as? String == "done \(Self.evil)")
    let fields = try #require(read["fields"] as? [String: Any])
    #expect(fields["path"] as? String == Self.evil)
    #expect(fields["gain"] as? Double == -0.5)
    #expect(fields["on"] as? Bool == false)
    #expect(fields["none"] is NSNull && fields["nan"] is NSNull)
    #expect(fields["big"] as? Int == Int.min)
    let rows = try #require(read["rows"] as? [[String: Any]])
    #expect(rows[0]["position"] as? Int == 1)
    #expect(rows[1]["text"] as? String == "b")
  }

  @Test func jsonOfErrorsAndNotices() throws {
    let error = try object(Reply.error(ConsoleError(.badValue, "no", column: 7)).rendered(.json))
    #expect(error["ok"] as? Bool == false)
    #expect(error["kind"] as? String == "bad-value")
    #expect(error["column"] as? Int == 7)
    let notice = try object(Notice("log", Self.evil).rendered(.json))
    #expect(notice["event"] as? String == "log")
    #expect(notice["text"] as? String == Self.evil)
    #expect(try object(Reply.ok().rendered(.json)).count == 1)
  }

  @Test func nothingBreaksALine() {
    let replies = [
      Reply.ok(Answer(Self.evil, fields: [Field(Self.evil, Self.evil)], rows: [Row(Self.evil)])),
      .failed(Self.evil),
    ]
    for reply in replies {
      let bytes = reply.rendered(.text)
      #expect(bytes.allSatisfy { $0 == 0x0A || ($0 >= 0x20 && $0 != 0x7F) })
      #expect(!text(bytes).unicodeScalars.contains("\u{9B}"))
      let lines = text(bytes).split(separator: "\n")
      #expect(lines.dropLast().allSatisfy { $0.hasPrefix("  ") })
    }
    #expect(text(Notice("log", Self.evil).rendered(.text)).filter { $0 == "\n" }.count == 1)
  }

  @Test(arguments: ReplyFormat.allCases) func outputIsBounded(format: ReplyFormat) throws {
    let long = String(repeating: "ü\u{1}", count: 10_000)
    let many = Answer(long, rows: (0..<10_000).map { Row(long, [Field("n", $0), Field("path", long)]) })
    let bytes = Reply.ok(many).rendered(format)
    #expect(bytes.count <= Reply.maxLength)
    if format == .json {
      let read = try object(bytes)
      let shown = try #require(read["rows"] as? [Any]).count
      #expect(shown > 0 && read["left-off"] as? Int == 10_000 - shown)
    } else if format == .lines {
      let shown = text(bytes).components(separatedBy: "\n- n: ").count - 1
      #expect(shown > 0 && text(bytes).contains("  left-off: \(10_000 - shown)\n"))
    } else {
      #expect(text(bytes).contains("more\nok "))
    }
  }
}
