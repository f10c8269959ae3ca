// Replacing and renaming files so that a loss of power leaves the old or the new, never half of one.
// Waits for the storage; control thread for what a person ordered, otherwise a thread of its own.

import CLinux

/// Files that are replaced as a whole.
package enum AtomicFile {
  /// Replaces the contents of `path`: written to `path.new`, synced, renamed, and the folder synced. A
  /// symbolic link stays and what it leads to is replaced. Permissions are kept, those of a new file are
  /// `permissions`; of both only its owner's with `isPrivate`. The error names the step and the file; whatever
  /// fails, `path` is the old file or the new one, and after success it is the new one also when the power goes.
  package static func replace(
    _ path: String, with bytes: [UInt8], permissions: UInt32 = 0o644, isPrivate: Bool = false
  ) throws(SystemError) {
    let target = resolved(path) ?? path
    let temporary = target + ".new"
    let all = try FileStatus.of(target)?.permissions ?? permissions
    let kept = isPrivate ? all & 0o600 : all
    let file = try createAfresh(temporary, permissions: kept)
    do throws(SystemError) {
      guard fchmod(file.raw, mode_t(kept)) == 0 else { throw SystemError("fchmod") }
      try write(bytes, to: file)
      try file.sync()
    } catch {
      _ = unlink(temporary)
      throw SystemError(error.call, on: temporary, code: error.code)
    }
    try rename(temporary, to: target)
  }

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

  /// The path that a path leads to, links followed; nil where it leads nowhere.
  package static func resolved(_ path: String) -> String? {
    guard let real = realpath(path, nil) else { return nil }
    defer { free(real) }
    return String(cString: real)
  }

  private static func write(_ bytes: [UInt8], to file: borrowing FileDescriptor) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try file.writeAll(buffer, at: 0) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
