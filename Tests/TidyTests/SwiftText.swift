// Swift source as the tidy tests parse it: without comments, as words. Not a full parser, but sufficient for
// this repository's style, which `swift format` keeps uniform. Test threads.

import Foundation

/// A Swift file without comments.
struct SwiftText: Sendable {
  /// The code with comments blanked out; line ends keep their positions.
  let code: [UInt8]
  /// The code with the contents of string literals blanked out as well, except for interpolations.
  let skeleton: [UInt8]

  init(_ text: String) {
    var scanner = Scanner(Array(text.utf8))
    scanner.scan()
    code = scanner.code
    skeleton = scanner.skeleton
  }

  /// The identifiers in the code, including strings, because an interpolation uses names.
  var words: [String] {
    var words: [String] = []
    var word: [UInt8] = []
    for byte in code + [0x20] {
      if Self.isWord(byte) {
        word.append(byte)
      } else if !word.isEmpty {
        words.append(String(decoding: word, as: UTF8.self))
        word = []
      }
    }
    return words
  }

  static func isWord(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), 0x80...:
      true
    default: false
    }
  }

  /// Blanks out comments and strings.
  private struct Scanner {
    let source: [UInt8]
    var code: [UInt8]
    var skeleton: [UInt8]
    var index = 0

    init(_ source: [UInt8]) {
      self.source = source
      code = source
      skeleton = source
    }

    func has(_ text: StaticString) -> Bool {
      let bytes = UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount)
      return index + bytes.count <= source.count && source[index..<(index + bytes.count)].elementsEqual(bytes)
    }

    mutating func blank(_ count: Int, alsoInCode: Bool) {
      for place in index..<max(index, min(index + count, source.count)) where source[place] != 0x0A {
        skeleton[place] = 0x20
        if alsoInCode { code[place] = 0x20 }
      }
      index += count
    }

    mutating func scan() { scan(untilParenthesis: false) }

    /// Scans code up to the end or to the parenthesis that closes an interpolation.
    mutating func scan(untilParenthesis: Bool) {
      var depth = 0
      while index < source.count {
        if has("//") {
          while index < source.count, source[index] != 0x0A { blank(1, alsoInCode: true) }
        } else if has("/*") {
          while index < source.count, !has("*/") { blank(1, alsoInCode: true) }
          blank(2, alsoInCode: true)
        } else if has("\"\"\"") {
          scanString(isLong: true)
        } else if has("\"") {
          scanString(isLong: false)
        } else {
          if source[index] == UInt8(ascii: "(") { depth += 1 }
          if source[index] == UInt8(ascii: ")") {
            if untilParenthesis, depth == 0 { return }
            depth -= 1
          }
          index += 1
        }
      }
    }

    mutating func scanString(isLong: Bool) {
      blank(isLong ? 3 : 1, alsoInCode: false)
      while index < source.count, isLong ? !has("\"\"\"") : !has("\"") {
        if !isLong, source[index] == 0x0A { return }
        if has("\\(") {
          index += 2
          scan(untilParenthesis: true)
          index += 1
        } else {
          blank(has("\\") ? 2 : 1, alsoInCode: false)
        }
      }
      blank(isLong ? 3 : 1, alsoInCode: false)
    }
  }
}
