// Small files of the box's own: its configuration, its bookmarks, its board's profile. Any thread that may wait for storage.

import Platform

/// Whole files. Class-bound, for Embedded Swift; used by background workers, too.
package protocol FileStore: AnyObject, Sendable {
  /// A file's first `limit` bytes. Errors name the path.
  func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]
  /// Replaces a file so that a loss of power leaves the old or the new one, and waits until it is safe.
  /// With `isPrivate`, nobody but its owner may read it from now on.
  func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError)
  /// The text of a board's profile; nil where there is no such board.
  func boardProfile(_ name: String) -> [UInt8]?
  /// Nothing is asked for a while: what only waits for questions may go.
  func rest()
}

extension FileStore {
  /// Nothing waits.
  package func rest() {}

  /// Replaces a file, which everybody may read that might before.
  package func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    try replace(path, with: bytes, isPrivate: false)
  }
}
