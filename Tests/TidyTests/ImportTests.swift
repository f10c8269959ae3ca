// Each target of Package.swift depends on the modules that its files import, and on no other. Reads Package.swift as text.

import Foundation
import Testing

/// A target that Package.swift declares.
struct DeclaredTarget: Equatable {
  let name: String
  /// Its folders, from the repository's root.
  let paths: [String]
  let dependencies: Set<String>

  /// Whether a file is compiled into the target.
  func contains(_ path: String) -> Bool { paths.contains { path.hasPrefix($0 + "/") } }
}

/// The targets with Swift sources that Package.swift declares, read from its text.
struct PackageManifest {
  let targets: [DeclaredTarget]

  /// Modules of the toolchain, and C modules of the system, which need no dependency. Shipped code may import the first only, because
  /// boards have no Foundation: `shippedCodeImportsNoFoundation`.
  static let toolchain: Set<String> = ["Synchronization"]
  static let desktop: Set<String> = [
    "Foundation", "FoundationNetworking", "FoundationXML", "Glibc", "Testing",
  ]

  init(_ text: String) {
    var targets: [DeclaredTarget] = []
    let parts = Self.featureParts(text)
    for call in [
      "module", "boxModule", "tool", "program", "suite", "fake", "fuzzer", "codec", ".target",
      ".executableTarget",
    ] {
      for arguments in Self.calls(of: call, in: text) {
        if let target = Self.target(call, arguments, parts) { targets.append(target) }
      }
    }
    self.targets = targets
  }

  /// The repository's own.
  static let whole = PackageManifest(
    SourceTree.whole.files.first { $0.path == "Package.swift" }?.text ?? "")

  /// The module of a file; its folder's name if no target has the file.
  func module(of path: String) -> String {
    targets.first { $0.contains(path) }?.name
      ?? path.split(separator: "/").dropLast().last.map(String.init) ?? path
  }

  /// The arguments of each call of a function that begins a line of a list, such as `    module("Player", …)`, or follows another call.
  private static func calls(of name: String, in text: String) -> [Substring] {
    var found: [Substring] = []
    var rest = text[...]
    while let call = rest.range(of: name + "(") {
      let before = rest[..<call.lowerBound].last
      rest = rest[call.upperBound...]
      guard before == " " || before == "\n" || (name.hasPrefix(".") && before != ")") else { continue }
      var depth = 1
      let end = rest.firstIndex { character in
        if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
        return depth == 0
      }
      guard let end else { break }
      found.append(rest[..<end])
    }
    return found
  }

  /// The string literals of a text.
  private static func strings(_ text: Substring) -> [String] {
    text.split(separator: "\"", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
      .map { String($0.element) }
  }

  /// The folders of features, by the part that they are: lines such as `("Alarms", ["Box", "Commands"]),`.
  private static func featureParts(_ text: String) -> [String: [String]] {
    var parts: [String: [String]] = [:]
    for line in text.split(separator: "\n") where line.hasPrefix("  (\"") {
      let words = strings(line)
      for part in words.dropFirst() {
        parts[part, default: []].append("Sources/Box/Features/\(words[0])/\(part)")
      }
    }
    return parts
  }

  private static func target(
    _ call: String, _ arguments: Substring, _ parts: [String: [String]]
  ) -> DeclaredTarget? {
    let all = strings(arguments)
    // A helper's own declaration, `func module(_ name: String, …)`, has no literal for its name.
    guard let name = all.first, !name.isEmpty, !name.contains("/"), name.first?.isLetter == true else {
      return nil
    }
    let list = arguments.firstIndex(of: "[").map { arguments[$0...].prefix { $0 != "]" } } ?? ""
    let dependencies = Set(strings(list))
    switch call {
    case "codec":
      return DeclaredTarget(
        name: "SwiftletCodec" + name, paths: ["Sources/Decoding/Codecs/" + name],
        dependencies: Set(all.dropFirst()).union(["CodecPlugin", "CodecSupport"]))
    case "fuzzer":
      return DeclaredTarget(
        name: "Fuzz" + name, paths: ["Fuzz/" + name], dependencies: Set(all.dropFirst()).union(["Fuzzing"]))
    case "boxModule":
      return DeclaredTarget(
        name: name, paths: ["Sources/Box/" + name] + (parts[all[1]] ?? []), dependencies: dependencies)
    case "suite":
      return DeclaredTarget(name: name, paths: ["Tests/" + name], dependencies: dependencies)
    case "module":
      let excluded = arguments.range(of: "exclude:").map { strings(arguments[$0.upperBound...]) } ?? []
      return DeclaredTarget(
        name: name, paths: ["Sources/" + all[1]], dependencies: dependencies.subtracting(excluded))
    case "fake": return DeclaredTarget(name: name, paths: ["Tests/" + all[1]], dependencies: dependencies)
    case "tool", "program": return DeclaredTarget(name: name, paths: [all[1]], dependencies: dependencies)
    default:
      guard let path = arguments.range(of: "path: \""), name != "path" else { return nil }
      return DeclaredTarget(
        name: name, paths: [String(arguments[path.upperBound...].prefix { $0 != "\"" })],
        dependencies: dependencies)
    }
  }

  /// The modules that a file imports.
  static func imports(of text: String) -> Set<String> {
    var found: Set<String> = []
    for line in String(decoding: SwiftText(text).skeleton, as: UTF8.self).split(separator: "\n") {
      let words = line.split(separator: " ")
      guard let place = words.firstIndex(of: "import"), place + 1 < words.count,
        words[..<place].allSatisfy({
          $0.hasPrefix("@") || $0 == "public" || $0 == "internal" || $0 == "package"
        })
      else { continue }
      found.insert(String(words[words.count - 1].prefix { $0 != "." }))
    }
    return found
  }

  /// Sentences about imports without a dependency and dependencies without an import. Targets without Swift files are not compared.
  func violations(_ files: [SourceFile]) -> [String] {
    var violations: [String] = []
    for target in targets {
      let own = files.filter { target.contains($0.path) }
      guard !own.isEmpty else { continue }
      var imported: Set<String> = []
      for file in own {
        let needed = Self.imports(of: file.text).subtracting(Self.toolchain).subtracting(Self.desktop)
        for missing in needed.subtracting(target.dependencies).subtracting(imported).sorted() {
          violations.append("\(file.path) imports \(missing), on which \(target.name) does not depend")
        }
        imported.formUnion(needed)
      }
      for unused in target.dependencies.subtracting(imported).sorted() {
        violations.append("\(target.name) depends on \(unused), which none of its files imports")
      }
    }
    for file in files where !targets.contains(where: { $0.contains(file.path) }) {
      violations.append("\(file.path) belongs to no target of Package.swift")
    }
    return violations.sorted()
  }
}

@Suite struct ImportTests {
  private let files = SourceTree.whole.swift(in: "Sources", "Tools", "Tests", "Fuzz").filter {
    !$0.path.hasPrefix("Tests/CodecTests/Samples/")
  }

  @Test func targetsDependOnWhatTheyImport() {
    #expect(PackageManifest.whole.targets.count > 80)
    #expect(PackageManifest.whole.violations(files) == [])
  }

  /// Foundation is not on boards. Tools, which run on a desk, may use it.
  @Test func shippedCodeImportsNoFoundation() {
    let offending = files.filter {
      $0.path.hasPrefix("Sources/")
        && !PackageManifest.imports(of: $0.text).isDisjoint(with: PackageManifest.desktop)
    }
    #expect(offending.map(\.path) == [])
  }

  @Test func noticesWhatIsPlanted() {
    let manifest = PackageManifest(
      """
      func module(_ name: String, _ path: String) -> Target {
        .target(name: name, path: "Sources/" + path)
      }
      let shipped = [
        module("Player", "Player/Player", small, ["PlaybackModel", "Platform"], exclude: ["README.md"]),
        codec("MPEG", "CMPG123"),
      ]
      """)
    #expect(
      manifest.targets.contains(
        DeclaredTarget(
          name: "Player", paths: ["Sources/Player/Player"], dependencies: ["PlaybackModel", "Platform"])))
    let planted = SourceFile(
      path: "Sources/Player/Player/Planted.swift",
      text: "import PlaybackModel\n@preconcurrency import Outputs\n// import Daemon\n")
    let stranger = SourceFile(path: "Sources/New/A.swift", text: "")
    #expect(
      manifest.violations([planted, stranger]) == [
        "Player depends on Platform, which none of its files imports",
        "Sources/New/A.swift belongs to no target of Package.swift",
        "Sources/Player/Player/Planted.swift imports Outputs, on which Player does not depend",
      ])
  }
}
