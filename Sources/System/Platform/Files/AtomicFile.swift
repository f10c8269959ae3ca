// Making and renaming files that a person names, such as recordings; `StateFile` is for the box's own. Waits for the storage; control
// thread for what a person ordered, otherwise a thread of its own.

import CLinux

/// Files that take a name when they are whole.
package enum AtomicFile {
  /// Creates a file, removing what an interrupted attempt has left of it.
  package static func createAfresh(_ path: String, permissions: UInt32) throws(SystemError) -> FileDescriptor
  {
    guard unlink(path) == 0 || clinux_errno() == ENOENT else { throw SystemError("unlink", on: path) }
    return try FileDescriptor.createNew(path, permissions: permissions)
  }

  /// Renames a file, replacing what has the name, and waits until the folder knows. If the rename fails,
  /// `from` is removed when `removesOnFailure` is set.
  package static func rename(
    _ from: String, to target: String, removesOnFailure: Bool = true
  ) throws(SystemError) {
    guard CLinux.rename(from, target) == 0 else {
      let error = SystemError("rename", on: target)
      if removesOnFailure { _ = unlink(from) }
      throw error
    }
    try syncFolder(of: target)
  }

  /// Removes a file, if it is there.
  package static func remove(_ path: String) { _ = unlink(path) }

  /// The folder that holds `path`.
  package static func folder(of path: String) -> String {
    let bytes = Array(path.utf8)
    guard let slash = bytes.lastIndex(of: 0x2F) else { return "." }
    return slash == 0 ? "/" : String(decoding: bytes[..<slash], as: UTF8.self)
  }

  private static func syncFolder(of path: String) throws(SystemError) {
    let name = folder(of: path)
    let folder = try FileDescriptor.open(name, O_RDONLY | O_DIRECTORY).outOfReach()
    do throws(SystemError) {
      try folder.sync()
    } catch {
      // Some file systems know no sync of a folder; there is nothing more to be done on them.
      guard error.code == EINVAL else { throw SystemError(error.call, on: name, code: error.code) }
    }
  }

  /// The file that writing to a path makes or changes, links followed also where they lead to no file yet.
  package static func destination(of path: String) -> String {
    var path = path
    for _ in 0..<maxLinks {
      if let real = resolved(path) { return real }
      let name = String(decoding: path.utf8.reversed().prefix { $0 != 0x2F }.reversed(), as: UTF8.self)
      let holder = folder(of: path)
      let place = Directory.path(of: name, in: resolved(holder) ?? holder)
      guard let target = linkTarget(place) else { return place }
      path = target.utf8.first == 0x2F ? target : Directory.path(of: target, in: folder(of: place))
    }
    return path
  }

  private static let maxLinks = 16

  private static func linkTarget(_ path: String) -> String? {
    var buffer = [CChar](repeating: 0, count: 4096)
    let count = path.withPath { readlink($0, &buffer, buffer.count) }
    return count > 0 ? String(pathBytes: buffer.prefix(count).map { UInt8(bitPattern: $0) }) : nil
  }

  /// The path that a path leads to, links followed; nil where it leads nowhere.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }
}
