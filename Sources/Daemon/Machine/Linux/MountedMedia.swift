// What there is to play on storage that is mounted, looked up by a process that may hang. Any thread that may wait for half a
// minute.

import Decoding
import Media
import PlaybackModel
import Platform
import Player

/// Media on storage that is mounted.
package final class MountedMedia: MediaLookup {
  /// What the machine has.
  package init() {}

  package func locate(_ name: String, within roots: MediaRoots) -> String? {
    LookupProcess.locate(name, within: roots)
  }

  package func expand(_ path: String, within roots: MediaRoots) throws(PlaybackError) -> [Track] {
    try LookupProcess.expand(path, within: roots)
  }

  package func entries(of folder: String) throws(SystemError) -> [DirectoryEntry] {
    try LookupProcess.entries(of: folder)
  }
}
