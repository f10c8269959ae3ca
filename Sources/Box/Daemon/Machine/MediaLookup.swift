// What there is to play, by the names that people give it. Any thread that may wait for storage.

import Decoding
import Media
import Pictures
import PlaybackModel
import Platform
import Player

/// Looks into folders and playlists. Class-bound, for Embedded Swift; used by background workers.
package protocol MediaLookup: AnyObject, Sendable {
  /// The same, which gives up when it is told to.
  func heeding(_ cancellation: Cancellation) -> any MediaLookup
  /// An absolute path for what a person named; nil where nothing of that name can be reached beneath the roots.
  func locate(_ name: String, within roots: MediaRoots) -> String?
  /// The tracks that a path stands for: a file, a folder or a playlist.
  func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> ExpandedMedia
  /// What a folder beneath the roots holds, in no order.
  func entries(of folder: String, within roots: MediaRoots) throws(SystemError) -> [DirectoryEntry]
  /// Matches a typed name against one folder with music, by one question to its storage; nil where the storage does not answer.
  func match(_ name: String, in root: String, within roots: MediaRoots) -> NameMatch?
  /// The picture of what a person named.
  func picture(of name: String, _ source: PictureSource, within roots: MediaRoots) -> PictureAnswer
}

extension MediaLookup {
  /// What is never long needs not to be given up.
  package func heeding(_ cancellation: Cancellation) -> any MediaLookup { self }
  /// Nothing has one, unless the machine looks for it.
  package func picture(of name: String, _ source: PictureSource, within roots: MediaRoots) -> PictureAnswer {
    locate(name, within: roots) == nil ? .missing : .none
  }
}
