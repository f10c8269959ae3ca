// Quoted commands in the program's texts exist and can be parsed. Test threads.

import Foundation
import Testing

@testable import Console

@Suite struct QuotedCommandTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL
  /// Quoted first words that are not commands of Swiftlet: other programs, and arguments.
  private static let others: Set<String> = [
    "mkfifo", "journalctl", "getent", "aplay", "arecord", "fuser", "cat", "usermod", "apt", "swiftlet-sim",
    "append",
    "replace",
    "window",
    "sort", "group",
    "live", "duck", "stay", "exec", "at", "snapcast:ADDRESS", "null", "when", "hold", "long", "position",
    "retain",
  ]

  private struct Quotation {
    let text: String
    let place: String
  }

  /// The subcommands in the main program.
  private static let subcommands: Set<String> = {
    let path = root.appending(path: "Sources/Programs/swiftlet/Swiftlet.swift")
    let text = (try? String(contentsOf: path, encoding: .utf8)) ?? ""
    return Set(text.matches(of: /case "([a-z]+)"/).map { String($0.1) })
  }()

  /// Texts in single quotes in the sources, and unquoted ones in the texts of `doctor`. MPD's server quotes
  /// MPD's commands.
  private static let quotations: [Quotation] = {
    var found: [Quotation] = []
    let sources = root.appending(path: "Sources")
    let below = FileManager.default.enumerator(atPath: sources.path)
    while let name = below?.nextObject() as? String {
      guard name.hasSuffix(".swift"), !name.contains("Integrations/MPD") else { continue }
      let text = (try? String(contentsOf: sources.appending(path: name), encoding: .utf8)) ?? ""
      for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
        guard line.utf8.contains(0x27) || line.contains("swiftlet ") else { continue }
        guard !line.drop(while: { $0 == " " }).hasPrefix("//") else { continue }
        let place = "\(name):\(number + 1)"
        for match in line.matches(of: /(?:^|[^A-Za-z0-9)])'([a-z][^'"]*)'(?![A-Za-z])/) {
          found.append(Quotation(text: String(match.1), place: place))
        }
        guard name.contains("/Doctor/") else { continue }
        for match in line.matches(of: /(swiftlet [a-z]+(?: [^'"]*?)?)(?:   |['";]|$)/) {
          found.append(Quotation(text: String(match.1), place: place))
        }
      }
    }
    return found
  }()

  /// The reason why a quoted command cannot be typed; nil if it can.
  private static func flaw(of text: String) -> String? {
    // Replaces interpolations.
    let filled = text.replacing(/\\\([^)]*\)+/, with: "NAME")
    var words = filled.split(separator: " ").map { $0 == "COMMAND" ? "pause" : String($0) }
    if words.first == "sudo" { words.removeFirst() }
    if let end = words.firstIndex(of: ">") { words.removeSubrange(end...) }
    guard let first = words.first else { return "it is empty" }
    if first == "swiftlet" {
      words.removeFirst()
      guard let subcommand = words.first else { return nil }
      guard subcommands.contains(subcommand) else { return "there is no subcommand \(subcommand)" }
      words.removeFirst()
      guard subcommand == "ctl", !words.isEmpty else { return nil }
    } else if others.contains(first) || SettingTable.keys.contains(first) {
      return nil
    }
    do {
      _ = try Interpreter.parse(words.joined(separator: " "))
      return nil
    } catch {
      // A literal name or a placeholder.
      let isOpen = words.contains { $0.contains { $0.isUppercase } }
      return error.kind == .wrongUsage || isOpen && error.kind != .unknownCommand ? nil : error.sentence
    }
  }

  @Test func everyCommandThatAPersonIsToldToTypeExists() {
    #expect(Self.subcommands.count > 10 && Self.quotations.count > 80, "they are found")
    for quotation in Self.quotations {
      let flaw = Self.flaw(of: quotation.text)
      #expect(flaw == nil, "\(quotation.place): '\(quotation.text)': \(flaw ?? "")")
    }
  }

  @Test(arguments: [
    "swiftlet frobnicate", "swiftlet ctl frobnicate", "set no.such on", "playlist frobnicate", "frobnicate",
    "volume loud",
  ])
  func whatDoesNotExistIsNoticed(text: String) { #expect(Self.flaw(of: text) != nil) }
}
