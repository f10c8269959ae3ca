// The daemon's own files on Linux, accessed directly or through a helper process. Any thread that may block on storage.

import Checkpoints
import Platform

/// Accesses files directly, in this process.
package final class LinuxFiles: FileStore {
  /// Creates the store.
  package init() {}

  package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try StateFile(path).contents(limit: limit)
  }

  package func replace(
    _ path: String, with bytes: [UInt8], isPrivate: Bool
  ) throws(SystemError) {
    try StateFile(path).replace(with: bytes, isPrivate: isPrivate)
  }

  package func boardProfile(_ name: String) -> [UInt8]? { BoardProfiles.text(of: name) }
}

extension LinuxFiles: CardStore {
  package func remove(_ path: String) throws(SystemError) { try StateFile(path).removeDurably() }

  package func refusal(ofTimeZone name: String) -> String? { TimeZoneDatabase.refusal(of: name) }

  package func refusal(ofGroup name: String) -> String? { GroupDatabase.refusal(of: name) }

  package var boardNames: [String] { BoardProfiles.all.map { $0.name } }
}

/// Accesses files through a helper process. For use by one background worker.
package final class StateFiles: FileStore {
  private let process: StoreProcess
  /// Whether reads follow symbolic links; writes never do.
  private let followsLinks: Bool

  /// Creates a store.
  ///
  /// - Parameters:
  ///   - process: Process that accesses the files.
  ///   - followsLinks: Whether reads follow symbolic links, as for files that the user edits, such as the
  ///     configuration.
  package init(_ process: StoreProcess, followsLinks: Bool = false) {
    self.process = process
    self.followsLinks = followsLinks
  }

  package func read(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    try process.read(path, limit: limit, followsLinks: followsLinks)
  }

  package func replace(
    _ path: String, with bytes: [UInt8], isPrivate: Bool
  ) throws(SystemError) {
    try process.replace(path, with: bytes, isPrivate: isPrivate)
  }

  package func boardProfile(_ name: String) -> [UInt8]? {
    let process = process
    return BoardProfiles.text(of: name) { path, limit in
      try? process.read(path, limit: limit, followsLinks: true)
    }
  }

  package func rest() { process.end() }
}
