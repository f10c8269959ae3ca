// Lists folders. Blocks on storage; never on the control thread.

import CLinux

/// A name in a folder.
package struct DirectoryEntry: Hashable, Sendable {
  /// The last component of the path.
  package let name: String
  /// Whether it is a folder; links are followed.
  package let isDirectory: Bool
  /// The time of the last change in seconds since 1970; nil if it was not requested.
  package let modified: Int64?

  /// Creates an entry.
  package init(name: String, isDirectory: Bool, modified: Int64? = nil) {
    self.name = name
    self.isDirectory = isDirectory
    self.modified = modified
  }
}

/// The contents of a folder.
package struct DirectoryListing: Sendable {
  /// The entries, in no particular order.
  package let entries: [DirectoryEntry]
  /// Whether entries were left out because of the limit.
  package let isCut: Bool

  /// Creates a listing.
  package init(_ entries: [DirectoryEntry], isCut: Bool = false) {
    self.entries = entries
    self.isCut = isCut
  }
}

/// Access to folders.
package enum Directory {
  /// The most entries in one listing.
  package static let limit = 100_000

  /// Lists the entries of a folder in no particular order, without hidden names, and at most `limit`.
  ///
  /// - Throws: An error that names the folder.
  package static func entries(of path: String) throws(SystemError) -> [DirectoryEntry] {
    try listing(of: path).entries
  }

  /// Lists the entries of a folder, and whether there are more than `limit`.
  ///
  /// - Throws: An error that names the folder.
  package static func listing(of path: String, limit: Int = limit) throws(SystemError) -> DirectoryListing {
    guard let directory = path.withPath({ opendir($0) }) else { throw SystemError("opendir", on: path) }
    defer { closedir(directory) }
    var entries: [DirectoryEntry] = []
    while let entry = readdir(directory) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(pathBytes: $0.prefix { $0 != 0 }) }
      guard name.utf8.first != 0x2E else { continue }
      guard entries.count < limit else { return DirectoryListing(entries, isCut: true) }
      // Most file systems report the type with the name; for links and unknown types, stat(2) is needed.
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

  /// Joins a folder and a name.
  package static func path(of name: String, in folder: String) -> String {
    folder.utf8.last == 0x2F ? folder + name : folder + "/" + name
  }

  /// Creates a folder with mode 0755.
  ///
  /// - Returns: Whether it was created.
  package static func make(_ path: String) -> Bool { path.withPath { mkdir($0, 0o755) } == 0 }

  /// Whether a path leads to a folder.
  package static func isDirectory(_ path: String) -> Bool {
    var status = stat()
    return path.withPath { stat($0, &status) } == 0 && clinux_is_directory(status.st_mode) != 0
  }
}
