// Where checkpoint files are found and made. One thread at a time; waits for the storage.

import Platform

/// Storage by its path. Class-bound, for Embedded Swift; used by the control thread at the start, and by whoever
/// writes checkpoints when the file has to be opened anew.
package protocol CheckpointFiles: AnyObject, Sendable {
  /// Opens what is at a path; nil if there is nothing. Errors as those of `FileStorage.open`.
  func open(_ path: String) throws(SystemError) -> (any CheckpointStorage)?
  /// Makes storage of `size` bytes that begins with `head`, in the place of what was there. The rest is zeros.
  func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> any CheckpointStorage
  /// Renames what is at a path to `path.bad`.
  func setAside(_ path: String) throws(SystemError)
}

/// Files of a Linux machine.
package final class LinuxCheckpointFiles: CheckpointFiles {
  /// The machine's.
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
