// Questions to a look-up process, encoded as command line arguments. Any thread.

import Decoding

/// A question about names of media, whose answer may block on storage.
package struct LookupQuestion: Hashable, Sendable {
  /// Kind of the question.
  package enum Kind: String, Sendable {
    /// Locate a file or folder.
    case locate
    /// Expand a path to tracks.
    case expand
    /// List a folder.
    case list
    /// Match a typed name in the first root.
    case match
  }

  let kind: Kind
  let name: String
  let roots: MediaRoots

  /// Creates a question.
  ///
  /// - Parameters:
  ///   - kind: Kind of the question.
  ///   - name: The path or name.
  ///   - roots: Folders to which the answer is limited.
  package init(_ kind: Kind, of name: String, within roots: MediaRoots) {
    self.kind = kind
    self.name = name
    self.roots = roots
  }

  /// The folder whose storage the answer depends on; nil if it is unknown.
  var storage: String? { kind == .match ? roots.folders.first : roots.storage(of: name) }

  /// Program name and hidden subcommand of the process.
  static let command = ["swiftlet", "lookup"]

  /// The arguments for execve.
  func words(parent: Int32) -> [String] {
    Self.command + ["\(parent)", kind.rawValue, name] + roots.folders
  }

  /// Parses the arguments after the subcommand; nil if they are invalid.
  init?(_ words: ArraySlice<String>) {
    guard words.count >= 3, let kind = Kind(rawValue: words[words.startIndex + 1]) else { return nil }
    self.init(
      kind, of: words[words.startIndex + 2], within: MediaRoots(Array(words.dropFirst(3))))
  }
}
