// What a look-up process is asked, as the words of its command line: written by one process, read by another. Any thread.

import Decoding

/// A question about names of media, whose answer waits for the storage.
package struct LookupQuestion: Hashable, Sendable {
  /// What is wanted.
  package enum Kind: String, Sendable {
    /// Where something of that name is.
    case locate
    /// The tracks that a path stands for.
    case expand
    /// What a folder holds.
    case list
    /// The match of a typed name in the first of the roots.
    case match
  }

  let kind: Kind
  let name: String
  let roots: MediaRoots

  /// A question.
  ///
  /// - Parameters:
  ///   - kind: What is wanted.
  ///   - name: Of what.
  ///   - roots: The folders that the answer may come from.
  package init(_ kind: Kind, of name: String, within roots: MediaRoots) {
    self.kind = kind
    self.name = name
    self.roots = roots
  }

  /// The folder whose storage the answer depends on, as far as that is one.
  var storage: String? { kind == .match ? roots.folders.first : roots.storage(of: name) }

  /// What a look-up process is called, whichever program it is: the program's name and the hidden subcommand.
  static let command = ["swiftlet", "lookup"]

  /// For execve.
  func words(parent: Int32) -> [String] {
    Self.command + ["\(parent)", kind.rawValue, name] + roots.folders
  }

  /// Reads what follows the subcommand; nil if it is not what `words` writes.
  init?(_ words: ArraySlice<String>) {
    guard words.count >= 3, let kind = Kind(rawValue: words[words.startIndex + 1]) else { return nil }
    self.init(
      kind, of: words[words.startIndex + 2], within: MediaRoots(Array(words.dropFirst(3))))
  }
}
