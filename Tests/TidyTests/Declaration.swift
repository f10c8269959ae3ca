// The declarations of a Swift file as the tidy tests parse them: their visibility, and whether they are
// documented. Test threads.

import Foundation

/// A declaration in a file.
struct Declaration: Sendable {
  /// The enclosing types, outermost first.
  let context: [String]
  /// Its modifiers, such as `public` and `static`, without attributes.
  let modifiers: [String]
  /// `func`, `var`, `case`, …
  let keyword: String
  /// Without arguments; empty for `init`, `subscript` and the like.
  let name: String
  /// On one line, without access modifiers, body and default value.
  let signature: String
  /// The line number, from 1.
  let line: Int
  /// Whether it has a `///` comment.
  let isDocumented: Bool
  /// Its visibility outside its module.
  let reach: Reach
  /// Whether it is an entry point of the program.
  let isEntry: Bool
  /// Whether it is a stored property of an instance.
  let isStored: Bool

  /// The visibility of a declaration.
  enum Reach: Int, Comparable {
    /// Its module or less.
    case module
    /// Other modules of this package.
    case package
    /// Other packages.
    case everyone

    static func < (a: Reach, b: Reach) -> Bool { a.rawValue < b.rawValue }

    /// The visibility that the modifiers give.
    init(_ modifiers: [String]) {
      self =
        modifiers.contains { ["public", "open"].contains($0) }
        ? .everyone : modifiers.contains("package") ? .package : .module
    }
  }

  /// Whether it is visible outside its module.
  var isPublic: Bool { reach > .module }

  /// Its link in documentation, with the enclosing types: `Engine/add(_:)`.
  var link: String { (context + [linkName]).joined(separator: "/") }

  private var linkName: String {
    guard ["func", "init", "subscript", "case"].contains(keyword) else { return name }
    let own = keyword == "init" || keyword == "subscript" ? keyword : name
    guard let begin = signature.range(of: keyword == "init" ? "init" : own).map({ $0.upperBound }),
      let open = signature[begin...].firstIndex(of: "("), open == begin || signature[begin] == "<"
    else { return own + (keyword == "init" || keyword == "func" ? "()" : "") }
    var labels = ""
    var depth = 0
    var argument = ""
    for character in signature[open...] {
      if "([<".contains(character) { depth += 1 }
      if ")]>".contains(character), !argument.hasSuffix("-") { depth -= 1 }
      if depth == 0 || depth == 1 && character == "," {
        let words = argument.split(separator: ":", maxSplits: 1)
        let label = words.count > 1 ? words[0].split(separator: " ").first.map(String.init) ?? "_" : "_"
        if !argument.allSatisfy({ $0 == " " }) { labels += label + ":" }
        argument = ""
        if depth == 0 { break }
      } else if depth > 1 || character != "(" {
        argument.append(character)
      }
    }
    return own + "(" + labels + ")"
  }

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

  /// All declarations of a file at file or type level; those in bodies are excluded.
  static func all(in text: String) -> [Declaration] {
    let skeleton = String(decoding: SwiftText(text).skeleton, as: UTF8.self)
    let lines = skeleton.split(separator: "\n", omittingEmptySubsequences: false).map(Array.init)
    let source = text.split(separator: "\n", omittingEmptySubsequences: false)
    var found: [Declaration] = []
    /// The owner of each open brace: a type with the default visibility of its members, or a body.
    var scopes: [(name: String, kind: String, reach: Reach)?] = []
    var number = 0
    while number < lines.count {
      var line = lines[number]
      let begin = number
      let words = leadingWords(String(line))
      let isMember = !scopes.contains { $0 == nil }
      var opened: (name: String, kind: String, reach: Reach)?
      if isMember, let (modifiers, keyword) = head(words) {
        // Up to the brace of its body, its value, or a complete line.
        while !isComplete(line), number + 1 < lines.count, number - begin < 40 {
          number += 1
          line += [" "] + lines[number]
        }
        let whole = String(line)
        let name = name(after: keyword, in: whole)
        let scope = scopes.last ?? nil
        let says = Reach(modifiers)
        // Protocol requirements, cases and members of an extension have the visibility of their context,
        // unless stated otherwise.
        let isImplied =
          !modifiers.contains(where: access.contains)
          && (keyword == "case" || scope?.kind == "protocol" || scope?.kind == "extension")
        let reach = isImplied ? scope?.reach ?? .module : says
        if types.contains(keyword) { opened = (name, keyword, reach) }
        if keyword != "extension" {
          found.append(
            Declaration(
              context: scopes.compactMap { $0?.name }, modifiers: modifiers, keyword: keyword, name: name,
              signature: signature(whole), line: begin + 1, isDocumented: isDocumented(source, begin),
              reach: reach,
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

  /// Whether a property's head is that of a stored one: its brace, if any, starts a value or an observer.
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

  /// Whether a declaration's head ends with this line: all parentheses are closed, and no continuation
  /// follows.
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
    // The value of a stored property or constant is not part of its interface.
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
