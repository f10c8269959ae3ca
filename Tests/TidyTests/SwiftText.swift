// Swift source as the tidy tests understand it: without comments, as words, as declarations with their place. No parser:
// enough of the grammar for this repository's style, which `swift format` keeps uniform.

import Foundation

/// A Swift file without comments.
struct SwiftText: Sendable {
  /// The code; comments are blank, line ends stay where they were.
  let code: [UInt8]
  /// The code with the contents of string literals blank, too; interpolations stay.
  let skeleton: [UInt8]

  init(_ text: String) {
    var scanner = Scanner(Array(text.utf8))
    scanner.scan()
    code = scanner.code
    skeleton = scanner.skeleton
  }

  /// Identifiers of the code, those in strings included: an interpolation uses what it names.
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
      for place in index..<min(index + count, source.count) where source[place] != 0x0A {
        skeleton[place] = 0x20
        if alsoInCode { code[place] = 0x20 }
      }
      index += count
    }

    mutating func scan() { scan(untilParenthesis: false) }

    /// Code, up to the end or to the parenthesis that closes an interpolation.
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

/// A declaration that stands in a file.
struct Declaration: Sendable {
  /// The types around it, outermost first.
  let context: [String]
  /// Its modifiers, such as `public` and `static`; attributes are left out.
  let modifiers: [String]
  /// `func`, `var`, `case`, …
  let keyword: String
  /// Without arguments; empty for `init`, `subscript` and the like.
  let name: String
  /// On one line, without modifiers of access, body and default value.
  let signature: String
  /// From 1.
  let line: Int
  /// Whether a `///` stands before it.
  let isDocumented: Bool
  /// Whether other modules of this package can use it.
  let isPublic: Bool
  /// Whether the program begins here.
  let isEntry: Bool
  /// Whether it is a property of which each value of its type holds one.
  let isStored: Bool

  static let types: Set<String> = ["struct", "class", "enum", "protocol", "extension", "actor"]
  static let others: Set<String> = [
    "func", "var", "let", "init", "subscript", "typealias", "case", "associatedtype",
  ]
  private static let access: Set<String> = [
    "public", "open", "package", "internal", "private", "fileprivate",
  ]
  private static let modifiers: Set<String> = access.union([
    "static", "final", "mutating", "nonmutating", "override", "convenience", "required", "lazy", "indirect",
    "nonisolated", "consuming", "borrowing", "unowned", "weak", "private(set)", "fileprivate(set)",
    "package(set)", "internal(set)",
    "nonisolated(unsafe)", "unowned(unsafe)",
  ])

  /// All declarations of a file that are members of types or of the file itself; those in bodies are left out.
  static func all(in text: String) -> [Declaration] {
    let skeleton = String(decoding: SwiftText(text).skeleton, as: UTF8.self)
    let lines = skeleton.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    let source = text.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [Declaration] = []
    /// What each open brace belongs to: a type, with whether its members are public without saying so, or a body.
    var scopes: [(name: String, kind: String, isPublic: Bool)?] = []
    var number = 0
    while number < lines.count {
      var line = lines[number]
      let begin = number
      let words = leadingWords(String(line))
      let isMember = !scopes.contains { $0 == nil }
      var opened: (name: String, kind: String, isPublic: Bool)?
      if isMember, let (modifiers, keyword) = head(words) {
        // On until the brace of its body, its value or a complete line.
        while !isComplete(line), number + 1 < lines.count, number - begin < 40 {
          number += 1
          line += [" "] + lines[number]
        }
        let whole = String(line)
        let name = name(after: keyword, in: whole)
        let scope = scopes.last ?? nil
        let says = modifiers.contains { ["public", "open", "package"].contains($0) }
        let hasAccess = modifiers.contains { access.contains($0) }
        let implied =
          scope.map { !hasAccess && $0.isPublic && ($0.kind == "protocol" || keyword == "case") } ?? false
        let isPublic =
          says || implied || (scope?.kind == "extension" && scope?.isPublic == true && !hasAccess)
        if types.contains(keyword) { opened = (name, keyword, says) }
        if keyword != "extension" {
          found.append(
            Declaration(
              context: scopes.compactMap { $0?.name }, modifiers: modifiers, keyword: keyword, name: name,
              signature: signature(whole), line: begin + 1, isDocumented: isDocumented(source, begin),
              isPublic: isPublic,
              isEntry: source[max(0, begin - 1)...begin].contains { $0.hasPrefix("@main") },
              isStored: ["struct", "class", "actor"].contains(scope?.kind) && !modifiers.contains("static")
                && isStored(keyword, whole, lines[min(number + 1, lines.count - 1)])))
        }
      }
      for character in line {
        if character == "{" {
          scopes.append(opened)
          opened = nil
        } else if character == "}", !scopes.isEmpty {
          scopes.removeLast()
        }
      }
      number += 1
    }
    return found
  }

  /// Whether a property's head is that of a stored one: what its brace begins, if it has one, is a value or an observer.
  private static func isStored(_ keyword: String, _ head: String, _ next: [Character]) -> Bool {
    guard keyword == "var" || keyword == "let" else { return false }
    guard let brace = head.firstIndex(of: "{") else { return true }
    if head[..<brace].contains("=") { return true }
    let body = String(head[head.index(after: brace)...]) + String(next)
    return body.contains("didSet") || body.contains("willSet")
  }

  private static func leadingWords(_ line: String) -> [String] {
    var words: [String] = []
    for part in line.split(separator: " ") {
      if part.hasPrefix("@") { continue }
      words.append(
        String(part.prefix { !"<({:=".contains($0) || part.hasSuffix("(set)") || part.hasSuffix("(unsafe)") })
      )
    }
    return words
  }

  private static func head(_ words: [String]) -> (modifiers: [String], keyword: String)? {
    var modifiers: [String] = []
    for (place, word) in words.enumerated() {
      if word == "class", words.dropFirst(place + 1).first.map({ ["func", "var"].contains($0) }) == true {
        continue
      }
      if types.contains(word) || others.contains(word) { return (modifiers, word) }
      guard Self.modifiers.contains(word) else { return nil }
      modifiers.append(word)
    }
    return nil
  }

  /// Whether a declaration's head ends with this line: all parentheses are closed, and nothing goes on behind it.
  private static func isComplete(_ line: [Character]) -> Bool {
    var depth = 0
    for character in line {
      if character == "(" || character == "[" { depth += 1 }
      if character == ")" || character == "]" { depth -= 1 }
      if character == "{", depth == 0 { return true }
    }
    guard depth == 0 else { return false }
    let text = String(line).trimmingCharacters(in: .whitespaces)
    return !text.hasSuffix(",") && !text.hasSuffix("->") && !text.hasSuffix("=") && !text.hasSuffix(":")
  }

  private static func name(after keyword: String, in line: String) -> String {
    guard !["init", "subscript"].contains(keyword), let range = line.range(of: keyword + " ") else {
      return ""
    }
    let rest = line[range.upperBound...].drop { $0 == " " }
    if rest.first == "(" { return "" }
    let name = rest.prefix { $0.isLetter || $0.isNumber || "_.`".contains($0) }
    return String(name.filter { $0 != "`" })
  }

  private static func signature(_ line: String) -> String {
    var text = ""
    var depth = 0
    for character in line {
      if character == "(" || character == "[" { depth += 1 }
      if character == ")" || character == "]" { depth -= 1 }
      if depth == 0, character == "{" { break }
      text.append(character)
    }
    var words = text.split(separator: " ").map(String.init)
    let keyword =
      words.firstIndex { types.contains($0) || others.contains(String($0.prefix(while: \.isLetter))) } ?? 0
    let head = words[..<keyword].filter {
      !access.contains($0) && !$0.hasSuffix("(set)") && !$0.hasPrefix("@")
    }
    words = head + words[keyword...]
    // A stored property's or constant's value is no part of its interface.
    if words.contains("var") || words.contains("let"), let equals = words.firstIndex(of: "=") {
      words.removeSubrange(equals...)
    }
    return words.joined(separator: " ")
  }

  private static func isDocumented(_ source: [Substring], _ line: Int) -> Bool {
    var above = line - 1
    while above >= 0 {
      let text = source[above].trimmingCharacters(in: .whitespaces)
      if text.hasPrefix("///") { return true }
      guard text.hasPrefix("@") || text.hasPrefix("#if") else { return false }
      above -= 1
    }
    return false
  }
}
