// The box's own files, on a Linux machine. Any thread that may wait for storage.

import Checkpoints
import Platform

/// Files of a Linux machine.
package final class LinuxFiles: FileStore {
  /// The machine's.
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

  package var boardNames: [String] { BoardProfiles.all.map { $0.name } }
}

/// Files that another process reads and writes. One background worker.
package final class StateFiles: FileStore {
  private let process: StoreProcess
  /// Whether a path may lead through links to what is read. Writing follows none.
  private let followsLinks: Bool

  /// Files that a process has. Those that a person wrote, such as the configuration, may be read through links.
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
