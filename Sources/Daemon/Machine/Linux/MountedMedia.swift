// What there is to play on storage that is mounted. Any thread that may wait for storage.

import Decoding
import Media
import PlaybackModel
import Platform
import Player

/// Media on storage that is mounted.
package final class MountedMedia: MediaLookup {
  /// What the machine has.
  package init() {}

  package func locate(_ name: String, within roots: MediaRoots) -> String? { roots.locate(name) }

  package func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> [Track] {
    try MediaList.expand(path, within: roots)
  }

  package func entries(of folder: String) throws(SystemError) -> [DirectoryEntry] {
    try Directory.entries(of: folder)
  }
}
