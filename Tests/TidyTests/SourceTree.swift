// The repository as the tidy tests read it: its files and their contents. Nothing is built or run. Test
// threads.

import Foundation

/// A text file of the repository.
struct SourceFile: Sendable {
  /// Relative to the repository's root, such as `Sources/Box/Daemon/Box.swift`.
  let path: String
  let text: String

  var lines: [Substring] { text.split(separator: "\n", omittingEmptySubsequences: false) }
  var ending: Substring { path.split(separator: "/").last?.split(separator: ".").dropFirst().last ?? "" }
}

/// All files of the repository.
struct SourceTree: Sendable {
  static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../..")
    .standardizedFileURL
  /// Read once and shared by all tests.
  static let whole = SourceTree(
    [
      "Sources", "Tools", "Tests", "Fuzz", "examples", "scripts", "docs", "boards", "packaging", ".ci",
      ".github",
    ])

  /// Paths of all files, text or not.
  let paths: Set<String>
  /// The text files.
  let files: [SourceFile]

  private init(_ folders: [String]) {
    var found: [String] = []
    let manager = FileManager.default
    for folder in folders {
      let below = manager.enumerator(atPath: Self.root.appending(path: folder).path)
      while let name = below?.nextObject() as? String {
        if name.hasSuffix("__pycache__") || name.hasSuffix(".build") {
          below?.skipDescendants()
        } else {
          found.append(folder + "/" + name)
        }
      }
    }
    for name in (try? manager.contentsOfDirectory(atPath: Self.root.path)) ?? [] {
      if name.hasSuffix(".md") || ["Package.swift", "LICENSE"].contains(name) { found.append(name) }
    }
    paths = Set(found + folders)
    files = found.sorted().filter { !$0.contains("/Corpus/") }.compactMap { path in
      // Folders cannot be read, and files that are not UTF-8 are not text.
      (try? String(contentsOf: Self.root.appending(path: path), encoding: .utf8)).map {
        SourceFile(path: path, text: $0)
      }
    }
  }

  /// Files below some folders with given extensions.
  func files(in folders: [String], _ endings: [String]) -> [SourceFile] {
    files.filter { file in
      folders.contains { file.path.hasPrefix($0 + "/") } && endings.contains(String(file.ending))
    }
  }

  /// Swift files below some folders.
  func swift(in folders: String...) -> [SourceFile] { files(in: folders, ["swift"]) }

  /// All Markdown pages.
  var pages: [SourceFile] { files.filter { $0.ending == "md" } }

  /// The lines of a list file, in `Tests/TidyTests/Rules` or elsewhere, without comments and blank lines.
  func list(_ path: String) -> [String] {
    guard let file = files.first(where: { $0.path == path }) else { return [] }
    return file.lines.map { $0.trimmingCharacters(in: .whitespaces) }.filter {
      !$0.isEmpty && !$0.hasPrefix("#")
    }
  }
}
