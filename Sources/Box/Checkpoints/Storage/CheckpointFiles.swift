// Access to checkpoint files by path. One thread at a time; blocks on storage.

import Platform

/// Opens, creates and renames checkpoint files. Used by the control thread at startup, and by the checkpoint
/// worker to reopen the file. Class-bound, for Embedded Swift.
package protocol CheckpointFiles: AnyObject, Sendable {
  /// Opens the file at a path; nil if there is none.
  ///
  /// - Throws: The errors of `FileStorage.open`.
  func open(_ path: String) throws(SystemError) -> (any CheckpointStorage)?
  /// Creates a file, replacing an existing one.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - size: The size in bytes.
  ///   - head: The first bytes; the rest is zeros.
  func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> any CheckpointStorage
  /// Renames the file at a path to `path.bad`.
  func setAside(_ path: String) throws(SystemError)
}

/// Checkpoint files on a Linux file system, accessed directly.
package final class LinuxCheckpointFiles: CheckpointFiles {
  /// Creates direct access.
  package init() {}

  package func open(_ path: String) throws(SystemError) -> (any CheckpointStorage)? {
    try FileStorage.open(path)
  }

  package func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> any CheckpointStorage {
    try FileStorage.create(path, size: size, head: head)
  }

  package func setAside(_ path: String) throws(SystemError) {
    let file = try StateFile(path)
    try file.rename(addingEnding: ".bad")
    try file.syncFolder()
  }
}
