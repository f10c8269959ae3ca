// The box's own files, on a Linux machine. Any thread that may wait for storage.

import Checkpoints
import Platform

/// Files of a Linux machine.
package final class LinuxFiles: FileStore {
  /// The machine's.
  package init() {}

  package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try TextFile.bytes(path, limit: limit)
  }

  package func replace(
    _ path: String, with bytes: [UInt8], isPrivate: Bool
  ) throws(SystemError) {
    try AtomicFile.replace(path, with: bytes, isPrivate: isPrivate)
  }

  package func boardProfile(_ name: String) -> [UInt8]? { BoardProfiles.text(of: name) }
}

/// Files that another process reads and writes. One background worker.
package final class StateFiles: FileStore {
  private let process: StoreProcess

  /// Files that a process has.
  package init(_ process: StoreProcess) { self.process = process }

  package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try process.read(path, limit: limit)
  }

  package func replace(
    _ path: String, with bytes: [UInt8], isPrivate: Bool
  ) throws(SystemError) {
    try process.replace(path, with: bytes, isPrivate: isPrivate)
  }

  package func boardProfile(_ name: String) -> [UInt8]? {
    let process = process
    return BoardProfiles.text(of: name) { path, limit in try? process.read(path, limit: limit) }
  }

  package func rest() { process.end() }
}
