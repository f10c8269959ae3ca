// The references in a documentation page: links, inline code, commands in fenced blocks. Test threads.

import Foundation

/// A parsed Markdown page.
struct MarkdownPage {
  struct Link {
    let line: Int
    /// Without the anchor.
    let target: String
    let anchor: String
  }

  /// Inline code, or a line of a fenced block.
  struct Code {
    let line: Int
    let text: String
    /// The fence's language, or `fence` if it has none; nil for inline code.
    let fence: String?
  }

  private(set) var links: [Link] = []
  private(set) var code: [Code] = []
  /// Anchors that GitHub generates for headings.
  private(set) var anchors: Set<String> = []

  init(_ text: String) {
    var fence: String?
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let trimmed = line.trimmingCharacters(in: .whitespaces)
      if trimmed.hasPrefix("```") {
        fence = fence == nil ? (trimmed.count > 3 ? String(trimmed.dropFirst(3)) : "fence") : nil
      } else if let fence {
        code.append(Code(line: number + 1, text: trimmed, fence: fence))
      } else {
        if line.hasPrefix("#") { anchors.insert(Self.anchor(line.drop { $0 == "#" })) }
        read(String(line), number + 1)
      }
    }
  }

  private mutating func read(_ line: String, _ number: Int) {
    var prose = ""
    for (place, part) in line.split(separator: "`", omittingEmptySubsequences: false).enumerated() {
      if place % 2 == 1 { code.append(Code(line: number, text: String(part), fence: nil)) }
      prose += place % 2 == 1 ? "x" : part
    }
    for part in prose.components(separatedBy: "](").dropFirst() {
      let target = part.prefix { $0 != ")" }
      let halves = target.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
      links.append(
        Link(line: number, target: String(halves[0]), anchor: halves.count > 1 ? String(halves[1]) : ""))
    }
  }

  private static func anchor(_ heading: Substring) -> String {
    var text = ""
    for character in heading.trimmingCharacters(in: .whitespaces).lowercased() {
      if character == " " {
        text += "-"
      } else if character.isLetter || character.isNumber || character == "-" || character == "_" {
        text.append(character)
      }
    }
    return text
  }
}
