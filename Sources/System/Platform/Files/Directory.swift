// Listing a folder. A thread that may wait for the storage; never the control thread.

import CLinux

/// One name in a folder.
package struct DirectoryEntry: Hashable, Sendable {
  /// The last component of the path.
  package let name: String
  /// Whether it is a folder itself (links are followed).
  package let isDirectory: Bool
  /// When it was changed, in seconds since 1970; nil where nothing has asked for that.
  package let modified: Int64?

  /// An entry.
  package init(name: String, isDirectory: Bool, modified: Int64? = nil) {
    self.name = name
    self.isDirectory = isDirectory
    self.modified = modified
  }
}

/// What a folder holds.
package struct DirectoryListing: Sendable {
  /// Its names, in no order.
  package let entries: [DirectoryEntry]
  /// Whether it holds more names than were listed.
  package let isCut: Bool

  /// A listing.
  package init(_ entries: [DirectoryEntry], isCut: Bool = false) {
    self.entries = entries
    self.isCut = isCut
  }
}

/// Folders of the file system.
package enum Directory {
  /// Names that one listing holds at most.
  package static let limit = 100_000

  /// What a folder holds, in no order; hidden names are left out, and what is more than `limit`. Errors name the folder.
  package static func entries(of path: String) throws(SystemError) -> [DirectoryEntry] {
    try listing(of: path).entries
  }

  /// The same, and whether there is more than `limit`.
  package static func listing(of path: String, limit: Int = limit) throws(SystemError) -> DirectoryListing {
    guard let directory = path.withPath({ opendir($0) }) else { throw SystemError("opendir", on: path) }
    defer { closedir(directory) }
    var entries: [DirectoryEntry] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(pathBytes: $0.prefix { $0 != 0 }) }
      guard name.utf8.first != 0x2E else { continue }
      guard entries.count < limit else { return DirectoryListing(entries, isCut: true) }
      // Most file systems say with the name what it is; a link, and what is not said, has to be asked.
      let isFolder =
        switch Int32(entry.pointee.d_type) {
        case CLINUX_DT_DIR: true
        case CLINUX_DT_REG: false
        default: isDirectory(path + "/" + name)
        }
      entries.append(DirectoryEntry(name: name, isDirectory: isFolder))
    }
    return DirectoryListing(entries)
  }

  /// The path of a name in a folder.
  package static func path(of name: String, in folder: String) -> String {
    folder.utf8.last == 0x2F ? folder + name : folder + "/" + name
  }

  /// Makes a folder that everyone may enter; whether it is there now, and was not before.
  package static func make(_ path: String) -> Bool { mkdir(path, 0o755) == 0 }

  /// Whether a path leads to a folder.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 && clinux_is_directory(status.st_mode) != 0
  }
}
