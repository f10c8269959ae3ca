// Modules import what Sources/imports.txt allows, and what it allows is used.

import Foundation
import Testing

/// Which modules a module may import: `Module: One Two`.
struct ImportMap {
  let allowed: [String: Set<String>]
  /// What comes with the toolchain and needs no line. Foundation is not among it: boards do not have it.
  static let always: Set<String> = ["Synchronization"]

  init(_ lines: [String]) {
    var allowed: [String: Set<String>] = [:]
    for line in lines {
      let parts = line.split(separator: ":", maxSplits: 1)
      allowed[String(parts[0])] = Set(parts.dropFirst().joined().split(separator: " ").map(String.init))
    }
    self.allowed = allowed
  }

  /// The module that a file belongs to.
  static func module(of path: String) -> String {
    let parts = path.split(separator: "/").map(String.init)
    switch (parts[0], parts[1]) {
    case ("Sources", "Codecs"): return "SwiftletCodec" + parts[2]
    case ("Sources", "Transports"): return "SwiftletTransport" + parts[2]
    case ("Fuzz", let name) where name != "Fuzzing": return "Fuzz" + name
    default: return parts[1]
    }
  }

  /// The modules that a file imports.
  static func imports(of text: String) -> Set<String> {
    var found: Set<String> = []
    for line in String(decoding: SwiftText(text).code, as: UTF8.self).split(separator: "\n") {
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

  /// Sentences about files that import what they may not, and about lines of the map that nothing needs.
  func violations(_ files: [SourceFile]) -> [String] {
    var used: [String: Set<String>] = [:]
    var violations: Set<String> = []
    var told: Set<String> = []
    for file in files {
      let module = Self.module(of: file.path)
      guard let allowed = allowed[module] else {
        violations.insert("Sources/imports.txt has no line for \(module)")
        continue
      }
      let imports = Self.imports(of: file.text).subtracting(Self.always)
      used[module, default: []].formUnion(imports)
      // Once a module: a new one would be named for each of its files.
      for stranger in imports.subtracting(allowed) where told.insert(module + " " + stranger).inserted {
        violations.insert("\(file.path) imports \(stranger), which Sources/imports.txt does not allow")
      }
    }
    for (module, allowed) in allowed {
      for unused in allowed.subtracting(used[module] ?? []).sorted() {
        violations.insert("Sources/imports.txt allows \(module) to import \(unused), which it does not")
      }
    }
    return violations.sorted()
  }
}

@Suite struct ImportTests {
  @Test func modulesImportWhatTheMapAllows() {
    let map = ImportMap(SourceTree.whole.list("Sources/imports.txt"))
    #expect(map.violations(SourceTree.whole.swift(in: "Sources", "Tools", "Fuzz")) == [])
  }

  @Test func noticesWhatIsPlanted() {
    let map = ImportMap(["Player: PlaybackModel Platform"])
    let file = SourceFile(
      path: "Sources/Player/Planted.swift",
      text: "import PlaybackModel\n@preconcurrency import Outputs\n// import Daemon\n")
    #expect(
      map.violations([file]) == [
        "Sources/Player/Planted.swift imports Outputs, which Sources/imports.txt does not allow",
        "Sources/imports.txt allows Player to import Platform, which it does not",
      ])
    let stranger = SourceFile(path: "Sources/New/A.swift", text: "")
    #expect(
      map.violations([stranger]).contains("Sources/imports.txt has no line for New"))
  }
}
