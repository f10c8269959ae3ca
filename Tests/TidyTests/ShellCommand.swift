// Runs programs for the tidy tests, by the C library: signals of other suites in this process interrupt Foundation's reads, which
// then trap. Test threads.

import Foundation

/// A program with its arguments.
struct ShellCommand {
  /// What a program left.
  struct Result {
    /// The exit status; 128 and the signal's number if a signal ended it.
    let status: Int32
    /// Its standard output.
    let output: String
  }

  private let words: [String]

  /// - Parameter words: The program's name or path, from the repository's root, and its arguments.
  init(_ words: String...) { self.words = words }

  /// Runs it to its end in the repository's root. Its standard error is discarded.
  func run() throws -> Result {
    let file = FileManager.default.temporaryDirectory.appending(path: "swiftlet-tidy-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    let line = words.map { Self.quoted($0) }.joined(separator: " ")
    let status = system(
      "cd \(Self.quoted(SourceTree.root.path)) && \(line) >\(Self.quoted(file.path)) 2>/dev/null")
    // The status of wait(2).
    let signal = status & 0x7F
    return Result(
      status: signal == 0 ? status >> 8 & 0xFF : 128 + signal,
      output: String(decoding: try Data(contentsOf: file), as: UTF8.self))
  }

  private static func quoted(_ word: String) -> String {
    "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
