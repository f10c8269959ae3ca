// Storage of small files: configuration, bookmarks, board profiles. Any thread that may block on storage.

import Platform

/// Reads and replaces whole files. Class-bound for Embedded Swift; also used by background workers.
package protocol FileStore: AnyObject, Sendable {
  /// Reads the first `limit` bytes of a file.
  ///
  /// - Throws: `SystemError` with the path.
  func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8]
  /// Replaces a file atomically and durably: after a power cut either the old or the new contents exist.
  ///
  /// - Parameters:
  ///   - path: Path of the file.
  ///   - bytes: New contents.
  ///   - isPrivate: Whether only the owner may read the file.
  /// - Throws: `SystemError` with the path.
  func replace(_ path: String, with bytes: [UInt8], isPrivate: Bool) throws(SystemError)
  /// Text of a board's profile; nil if there is no such board.
  func boardProfile(_ name: String) -> [UInt8]?
  /// Releases resources that are only needed for further requests, such as a helper process.
  func rest()
}

extension FileStore {
  /// Does nothing.
  package func rest() {}

  /// Replaces a file and keeps its permissions.
  package func replace(_ path: String, with bytes: [UInt8]) throws(SystemError) {
    try replace(path, with: bytes, isPrivate: false)
  }
}
