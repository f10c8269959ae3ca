// Percent escapes and hexadecimal digits. Test threads.

import Platform
import Testing

@Suite struct PercentEncodingTests {
  @Test(arguments: [
    ("a%20b", "a b"), ("%41%6a%6A", "Ajj"), ("%C3%BC", "ü"), ("100%", "100%"), ("%4", "%4"), ("%g1", "%g1"),
    ("%%41", "%A"), ("%00", "%00"), ("", ""), ("+", "+"),
  ])
  func escapesAreDecoded(text: String, expected: String) {
    #expect(Array(text.utf8).percentDecoded == Array(expected.utf8))
  }

  @Test func digitsHaveTheirValues() {
    let digits = Array("0123456789abcdef".utf8)
    #expect(digits.map(\.hexadecimalValue) == (0..<16).map { UInt8($0) })
    #expect(Array("ABCDEF".utf8).map(\.hexadecimalValue) == (10..<16).map { UInt8($0) })
    #expect((0...255).filter { UInt8($0).hexadecimalValue != nil }.count == 22)
  }
}
