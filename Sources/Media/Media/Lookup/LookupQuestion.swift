// Questions to a look-up process, encoded as command line arguments. Any thread.

import Decoding
import Platform

/// A question about names of media, whose answer may block on storage.
package struct LookupQuestion: HelperTask, Hashable {
  package typealias Answer = LookupAnswer

  package static let subcommand = "lookup"
  /// The longest queue with the longest names.
  package static let maxAnswer = 128 << 20
  /// Clients get an error earlier.
  package static let timeout: UInt64 = 35_000_000_000

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
  package var storage: String? { kind == .match ? roots.folders.first : roots.storage(of: name) }

  package var words: [String] { [kind.rawValue, name] + roots.folders }

  package init?(_ words: ArraySlice<String>) {
    guard words.count >= 2, let kind = Kind(rawValue: words[words.startIndex]) else { return nil }
    self.init(kind, of: words[words.startIndex + 1], within: MediaRoots(Array(words.dropFirst(2))))
  }
}
