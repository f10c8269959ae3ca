// Questions to a picture process, encoded as command line arguments. Any thread.

import Decoding
import Platform

/// Where to search for a picture.
package enum PictureSource: String, Sendable, CaseIterable {
  /// In the track's file, then in its folder.
  case any
  case track
  case folder
}

/// A query for the picture of a file or folder.
package struct PictureQuestion: HelperTask, Hashable {
  package typealias Answer = PictureAnswer

  package static let subcommand = "picture"
  package static let maxAnswer = PictureAnswer.maxBytes
  package static let timeout: UInt64 = 10_000_000_000
  package static let yieldsToOthers = true

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
  package var storage: String? { roots.storage(of: name) }

  package var words: [String] { [source.rawValue, name] + roots.folders }

  package init?(_ words: ArraySlice<String>) {
    let words = Array(words)
    guard words.count >= 2, let source = PictureSource(rawValue: words[0]) else { return nil }
    self.init(words[1], source, within: MediaRoots(Array(words[2...])))
  }
}
