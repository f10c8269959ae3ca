// Questions to a picture process, encoded as command line arguments. Any thread.

import Decoding

/// Where to search for a picture.
package enum PictureSource: String, Sendable, CaseIterable {
  /// In the track's file, then in its folder.
  case any
  case track
  case folder
}

/// A query for the picture of a file or folder.
package struct PictureQuestion: Hashable, Sendable {
  /// Path of a file or folder.
  let name: String
  let source: PictureSource
  let roots: MediaRoots

  /// Creates a question.
  ///
  /// - Parameters:
  ///   - name: Path of a file or folder.
  ///   - source: Where to search.
  ///   - roots: Folders to which the search is limited.
  package init(_ name: String, _ source: PictureSource, within roots: MediaRoots) {
    self.name = name
    self.source = source
    self.roots = roots
  }

  /// The folder whose storage the answer depends on; nil if it is unknown.
  var storage: String? { roots.storage(of: name) }

  /// Program name and hidden subcommand of the process.
  private static let command = ["swiftlet", "picture"]

  /// The arguments for execve.
  func words(parent: Int32) -> [String] {
    Self.command + ["\(parent)", source.rawValue, name] + roots.folders
  }

  /// Parses the arguments after the subcommand; nil if they are invalid.
  init?(_ words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count >= 3, let source = PictureSource(rawValue: words[1]) else { return nil }
    self.init(words[2], source, within: MediaRoots(Array(words[3...])))
  }
}
