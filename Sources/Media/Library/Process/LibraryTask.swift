// Tasks of the index processes, encoded as command line arguments. Any thread.

import Platform

/// A query about everything below some folders.
package struct LibraryRequest: HelperTask, Hashable {
  package typealias Answer = LibraryAnswer

  package static let subcommand = "library"
  package static let maxAnswer = 1 << 20
  package static let timeout: UInt64 = 25_000_000_000

  /// Path of the index.
  let file: String
  /// Folders to which the answer is limited.
  let roots: [String]
  /// Kind of the query, and its arguments.
  let verb: LibraryVerb
  let arguments: [String]

  package var storage: String? { nil }

  package var words: [String] { [file, verb.rawValue, "\(roots.count)"] + roots + arguments }

  /// Creates a query; the parameters are the properties.
  init(_ verb: LibraryVerb, _ arguments: [String], in file: String, within roots: [String]) {
    self.verb = verb
    self.arguments = arguments
    self.file = file
    self.roots = roots
  }

  package init?(_ words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count >= 3, let verb = LibraryVerb(rawValue: words[1]), let count = Int(words[2]), count >= 0,
      words.count >= 3 + count
    else { return nil }
    self.init(verb, Array(words[(3 + count)...]), in: words[0], within: Array(words[3..<3 + count]))
  }
}

/// An update of the index for one root, or of the whole index.
package struct LibraryUpdateTask: HelperTask, Hashable {
  package typealias Answer = LibraryUpdateReport

  package static let subcommand = "library-update"
  package static let maxAnswer = 1 << 20
  /// Without progress.
  package static let timeout: UInt64 = 120_000_000_000
  package static let yieldsToOthers = true

  /// Path of the index.
  let file: String
  /// The folder to scan.
  let root: String
  /// Whether the index is cleared first.
  let isAfresh: Bool

  package var storage: String? { root }

  package var words: [String] { [isAfresh ? "make" : "update", file, root] }

  /// Creates an update; the parameters are the properties.
  init(_ file: String, root: String, isAfresh: Bool) {
    self.file = file
    self.root = root
    self.isAfresh = isAfresh
  }

  package init?(_ words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count == 3, words[0] == "make" || words[0] == "update" else { return nil }
    self.init(words[1], root: words[2], isAfresh: words[0] == "make")
  }
}
