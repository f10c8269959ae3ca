// The public interface as a file, so that each change is visible in a review. `scripts/tidy --write` writes
// the file. Test threads.

import Foundation
import Testing

/// The interfaces of modules for other packages, for other modules, and for programs.
enum PublicAPI {
  /// The listing: one part per group of users, with one section per module and one line per declaration,
  /// sorted.
  static func listing(_ files: [SourceFile]) -> String {
    "The public interface, a line for each declaration. Written by `scripts/tidy --write`; Tests/TidyTests compares.\n"
      + sections(files)
  }

  private static func sections(_ files: [SourceFile]) -> String {
    var sections: [String: Set<String>] = [:]
    for file in files {
      for declaration in Declaration.all(in: file.text) where declaration.reach == .everyone {
        let place = declaration.context.joined(separator: ".")
        sections[PackageManifest.whole.module(of: file.path), default: []].insert(
          (place.isEmpty ? "" : place + ": ") + declaration.signature)
      }
    }
    return sections.sorted { $0.key < $1.key }
      .map { module, lines in "\n## \(module)\n\n" + lines.sorted().map { $0 + "\n" }.joined() }.joined()
  }

  /// Documentation links, ``Type/member`` or, within the type, ``member``, to declarations that do not exist
  /// or are not visible to the reader.
  static func brokenLinks(_ files: [SourceFile]) -> [String] {
    let declarations = files.map { Declaration.all(in: $0.text).filter { $0.reach == .everyone } }
    let known = Set(declarations.joined().map(\.link))
    return zip(files, declarations).flatMap { file, declarations in
      let places = Set(declarations.flatMap { [$0.context, $0.context + [$0.name]] }).union([[]])
      return file.lines.enumerated().flatMap { number, line -> [String] in
        guard line.drop(while: { $0 == " " }).hasPrefix("///") else { return [] }
        return line.components(separatedBy: "``").enumerated()
          .filter { place, link in
            place % 2 == 1 && !line.contains("```")
              && !places.contains { known.contains(($0 + [link]).joined(separator: "/")) }
          }
          .map { "\(file.path):\(number + 1): ``\($1)`` leads to nothing public" }
      }
    }
  }

  /// Declarations for other modules without a comment. Cases for modules of this package need none, and
  /// protocol requirements are documented at the protocol.
  static func undocumented(_ files: [SourceFile]) -> [String] {
    let declarations = files.map { Declaration.all(in: $0.text) }
    var protocols: Set<String> = []
    for text in files.map({ String(decoding: SwiftText($0.text).skeleton, as: UTF8.self) }) {
      for part in text.components(separatedBy: "protocol ").dropFirst() {
        protocols.insert(String(part.prefix { $0.isLetter || $0.isNumber }))
      }
    }
    var asked: Set<String> = ["hash", "description", "debugDescription", "allCases", "rawValue"]
    for declaration in declarations.joined() where declaration.context.last.map(protocols.contains) == true {
      asked.insert(declaration.name)
    }
    return zip(files, declarations).flatMap { file, declarations in
      declarations.filter {
        $0.isPublic && !$0.isDocumented && ($0.keyword != "case" || $0.reach == .everyone)
          && !asked.contains($0.name)
          && $0.signature.range(of: #"func [^A-Za-z]|Literal|Interpolation"#, options: .regularExpression)
            == nil
      }.map { "\(file.path):\($0.line): \($0.signature)" }
    }
  }
}

@Suite struct PublicAPITests {
  private let files = SourceTree.whole.swift(in: "Sources")

  @Test func listingIsCurrent() throws {
    let file = SourceTree.root.appending(path: "docs/reference/api.txt")
    let listing = PublicAPI.listing(files)
    if ProcessInfo.processInfo.environment["SWIFTLET_WRITE_API"] != nil {
      try Data(listing.utf8).write(to: file)
    }
    let written = Set(((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n"))
    let present = Set(listing.split(separator: "\n"))
    let difference =
      written.subtracting(present).map { "- " + $0 }.sorted()
      + present.subtracting(written).map { "+ " + $0 }.sorted()
    #expect(difference == [], "docs/reference/api.txt is stale: `scripts/tidy --write` writes it again")
  }

  @Test func isDocumented() {
    let allowed =
      SourceTree.whole.list("Tests/TidyTests/Rules/undocumented.txt").first.flatMap { Int($0) } ?? 0
    let found = PublicAPI.undocumented(files)
    if found.count > allowed {
      Issue.record("document these; \(allowed) are left from before: \(found.joined(separator: "\n"))")
    }
  }

  @Test func linksLeadSomewhere() { #expect(PublicAPI.brokenLinks(files) == []) }

  @Test func noticesWhatIsPlanted() {
    let text = """
      // A file.
      /// A type.
      public struct Planted: Sendable {
        public private(set) var level: Int = 3
        /// Does it.
        @_noLocks @_noAllocation
        public func act(
          on place: Int, with closure: (Int) -> Void = { _ in }
        ) throws(Fault) -> Bool { true }
        /// Not as ``act(on:)``, ``act(on:with:)`` or ``share()``, but as ``Planted/Kind/one`` and ``level``.
        package func share() {}
        func hidden() {}
        /// Two.
        public enum Kind {
          case one
        }
      }
      """
    let file = SourceFile(path: "Sources/Player/Player/Planted.swift", text: text)
    let listing = PublicAPI.listing([file])
    #expect(listing.contains("\nstruct Planted: Sendable\n"))
    #expect(listing.contains("\nPlanted: var level: Int\n"))
    #expect(listing.contains("Planted: func act( on place: Int, with closure: (Int) -> Void"))
    #expect(!listing.contains("hidden"))
    #expect(
      PublicAPI.undocumented([file]).map { $0.components(separatedBy: ": ")[1] } == ["var level", "case one"])
    #expect(!listing.contains("share()"))
    #expect(
      PublicAPI.brokenLinks([file]).map { $0.components(separatedBy: "``")[1] } == ["act(on:)", "share()"])
  }
}
