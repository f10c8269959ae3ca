// Media lookups on mounted storage, each in a child process because storage may hang. Any thread that may block for 30
// s.

import Decoding
import Media
import Pictures
import PlaybackModel
import Platform
import Player

/// Implementation of `MediaLookup` by `LookupProcess` and `PictureProcess`.
package final class MountedMedia: MediaLookup {
  private let cancellation: Cancellation

  /// Creates a lookup whose requests end when the token is cancelled.
  package init(_ cancellation: Cancellation = Cancellation()) { self.cancellation = cancellation }

  package func heeding(_ cancellation: Cancellation) -> any MediaLookup { MountedMedia(cancellation) }

  package func locate(_ name: String, within roots: MediaRoots) -> String? {
    LookupProcess.locate(name, within: roots, cancellation)
  }

  package func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> ExpandedMedia {
    try LookupProcess.expand(path, within: roots, cancellation)
  }

  package func entries(of folder: String, within roots: MediaRoots) throws(SystemError) -> [DirectoryEntry] {
    try LookupProcess.entries(of: folder, within: roots, cancellation)
  }

  package func match(_ name: String, in root: String, within roots: MediaRoots) -> NameMatch? {
    LookupProcess.match(name, in: root, within: roots, cancellation)
  }

  package func picture(of name: String, _ source: PictureSource, within roots: MediaRoots) -> PictureAnswer {
    PictureProcess.ask(PictureQuestion(name, source, within: roots), cancellation)
  }
}
