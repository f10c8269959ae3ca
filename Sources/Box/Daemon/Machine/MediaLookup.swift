// Finds files, folders, playlists and pictures by name. Any thread that may block on storage.

import Decoding
import Media
import Pictures
import PlaybackModel
import Platform
import Player

/// Looks up media by name. Class-bound for Embedded Swift; used by background workers.
package protocol MediaLookup: AnyObject, Sendable {
  /// A lookup whose requests end when the token is cancelled.
  func heeding(_ cancellation: Cancellation) -> any MediaLookup
  /// Absolute path of a name that the user entered; nil if it does not exist below the roots.
  func locate(_ name: String, within roots: MediaRoots) -> String?
  /// The tracks of a file, folder or playlist.
  ///
  /// - Throws: `PlaybackError` if it cannot be read.
  func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> ExpandedMedia
  /// Entries of a folder below the roots, unordered.
  ///
  /// - Throws: `SystemError` if it cannot be read.
  func entries(of folder: String, within roots: MediaRoots) throws(SystemError) -> [DirectoryEntry]
  /// Matches a typed name against the contents of one media root, with a single storage request.
  ///
  /// - Returns: The match; nil if the storage does not respond.
  func match(_ name: String, in root: String, within roots: MediaRoots) -> NameMatch?
  /// Cover picture of the named music.
  func picture(of name: String, _ source: PictureSource, within roots: MediaRoots) -> PictureAnswer
}

extension MediaLookup {
  /// Default: lookups that are always fast ignore cancellation.
  package func heeding(_ cancellation: Cancellation) -> any MediaLookup { self }
  /// Default: there are no pictures.
  package func picture(of name: String, _ source: PictureSource, within roots: MediaRoots) -> PictureAnswer {
    locate(name, within: roots) == nil ? .missing : .none
  }
}
