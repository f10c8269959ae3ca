// What a picture process is asked, as the words of its command line: written by one process, read by another. Any thread.

import Decoding

/// Where a picture is looked for.
package enum PictureSource: String, Sendable, CaseIterable {
  /// In the track's file, and then beside it.
  case any
  case track
  case folder
}

/// A question for the picture of some music.
package struct PictureQuestion: Hashable, Sendable {
  /// A file, or a folder.
  let name: String
  let source: PictureSource
  let roots: MediaRoots

  /// A question about what has a name beneath some folders.
  package init(_ name: String, _ source: PictureSource, within roots: MediaRoots) {
    self.name = name
    self.source = source
    self.roots = roots
  }

  /// The folder whose storage the answer depends on, as far as that is one.
  var storage: String? { roots.storage(of: name) }

  /// What a picture process is called, whichever program it is: the program's name and the hidden subcommand.
  private static let command = ["swiftlet", "picture"]

  /// For execve.
  func words(parent: Int32) -> [String] {
    Self.command + ["\(parent)", source.rawValue, name] + roots.folders
  }

  /// Reads what follows the subcommand; nil if it is not what `words` writes.
  init?(_ words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count >= 3, let source = PictureSource(rawValue: words[1]) else { return nil }
    self.init(words[2], source, within: MediaRoots(Array(words[3...])))
  }
}
