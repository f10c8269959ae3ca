// Access to the daemon's own files: ordinary files only, without following symbolic links. Blocks on storage;
// not for the audio thread.

import CLinux

/// A state file of the daemon: its opened folder, and its name there.
///
/// A link planted by another program must not redirect the daemon to a foreign file, and a pipe or device
/// must not block it. Links in the folder's path are followed only if root created them on the root file
/// system, such as `/var/run`.
package struct StateFile: ~Copyable {
  /// The suffix of temporary files, which are renamed once they are complete.
  package static let temporaryEnding = ".new"

  /// The file's path, for errors.
  package let path: String
  private let folder: FileDescriptor
  private let name: String

  /// Opens the folder of `path`.
  ///
  /// - Throws: An error that names the file, or the link that is not followed.
  package init(_ path: String) throws(SystemError) {
    let bytes = Array(path.utf8)
    let start = bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0
    guard start < bytes.count else { throw SystemError(StateFileRefusal.call, on: path, code: EISDIR) }
    let opened = try StateFolder.open(String(decoding: bytes[..<start], as: UTF8.self), for: path)
    self.path = path
    name = String(decoding: bytes[start...], as: UTF8.self)
    folder = opened
  }

  /// The file's status; nil if it does not exist.
  ///
  /// - Throws: `StateFileRefusal` errors for anything but an ordinary file.
  package func status() throws(SystemError) -> FileStatus? { try status(of: name, path) }

  private func status(of name: String, _ path: String) throws(SystemError) -> FileStatus? {
    let place = name.withPath { clinux_open_at(folder.raw, $0, CLINUX_O_PATH | O_NOFOLLOW, 0) }
    guard place >= 0 else {
      guard clinux_errno() != ENOENT else { return nil }
      throw SystemError("open", on: path)
    }
    let status = try FileDescriptor(owning: place).status()
    try StateFileRefusal.check(status, path)
    return status
  }

  /// Opens an existing file.
  ///
  /// - Parameter flags: `O_RDONLY` or `O_RDWR`, and other flags of open(2).
  /// - Throws: ENOENT if it does not exist. Anything but an ordinary file is refused and not touched.
  package func open(_ flags: Int32) throws(SystemError) -> FileDescriptor {
    guard try status() != nil else { throw SystemError("open", on: path, code: ENOENT) }
    let fd = name.withPath {
      clinux_open_at(folder.raw, $0, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
    }
    guard fd >= 0 else { throw SystemError("open", on: path) }
    let file = FileDescriptor(owning: fd).outOfReach()
    // The file may have been replaced between the two calls.
    try StateFileRefusal.check(try file.status(), path)
    return file
  }

  /// Reads the file's first `limit` bytes.
  package func contents(limit: Int) throws(SystemError) -> [UInt8] {
    let file = try open(O_RDONLY)
    var bytes: [UInt8] = []
    while bytes.count < limit, let more = try file.read(atMost: min(4096, limit - bytes.count)), !more.isEmpty
    {
      bytes += more
    }
    return bytes
  }

  /// Creates the file, deleting an existing file or link of that name (not the link's target). A folder of
  /// that name is an error.
  package func createAfresh(permissions: UInt32) throws(SystemError) -> FileDescriptor {
    try createAfresh(name, path, permissions)
  }

  /// Creates the file under its temporary name, for `commit` to rename.
  package func createTemporary(permissions: UInt32) throws(SystemError) -> FileDescriptor {
    try createAfresh(name + Self.temporaryEnding, temporaryPath, permissions)
  }

  /// The path of the temporary file, for errors.
  package var temporaryPath: String { path + Self.temporaryEnding }

  private func createAfresh(
    _ name: String, _ path: String, _ permissions: UInt32
  ) throws(SystemError) -> FileDescriptor {
    guard unlink(name) == 0 || clinux_errno() == ENOENT else { throw SystemError("create", on: path) }
    let fd = name.withPath {
      clinux_open_at(folder.raw, $0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode_t(permissions))
    }
    guard fd >= 0 else { throw SystemError("create", on: path) }
    return FileDescriptor(owning: fd).outOfReach()
  }

  private func unlink(_ name: String) -> Int32 { name.withPath { unlinkat(folder.raw, $0, 0) } }

  private func rename(_ name: String, to other: String) -> Int32 {
    name.withPath { name in other.withPath { renameat(folder.raw, name, folder.raw, $0) } }
  }

  /// Renames the temporary file to its final name and syncs the folder. If renaming fails, the temporary file
  /// is deleted.
  package func commit() throws(SystemError) {
    guard rename(name + Self.temporaryEnding, to: name) == 0 else {
      let error = SystemError("rename", on: path)
      discardTemporary()
      throw error
    }
    try syncFolder()
  }

  /// Deletes the temporary file.
  package func discardTemporary() { _ = unlink(name + Self.temporaryEnding) }

  /// Replaces the file's contents atomically: writes a temporary file, syncs it, renames it and syncs the
  /// folder. If root writes, the file keeps its owner, and a new file gets the owner of its folder.
  ///
  /// - Parameters:
  ///   - bytes: The contents.
  ///   - permissions: The mode of a new file, before the umask; an existing file keeps its mode.
  ///   - isPrivate: Whether to remove all rights of group and others.
  /// - Throws: An error that names the step and the file; the old file is intact then. Anything but an
  ///   ordinary file is refused and not touched.
  package func replace(
    with bytes: [UInt8], permissions: UInt32 = 0o644, isPrivate: Bool = false
  ) throws(SystemError) {
    let former = try status()
    let all = former?.permissions ?? permissions
    let kept = isPrivate ? all & 0o600 : all
    let file = try createTemporary(permissions: kept)
    do throws(SystemError) {
      try keepOwner(of: former, on: file)
      guard fchmod(file.raw, mode_t(kept)) == 0 else { throw SystemError("fchmod") }
      try file.writeAll(bytes: bytes, at: 0)
      try file.sync()
    } catch {
      discardTemporary()
      throw SystemError(error.call, on: temporaryPath, code: error.code)
    }
    try commit()
  }

  /// Gives a file created by root the owner of the file it replaces, or of the folder.
  private func keepOwner(of former: FileStatus?, on file: borrowing FileDescriptor) throws(SystemError) {
    guard geteuid() == 0 else { return }
    let own = try file.status()
    let wanted: FileStatus
    if let former { wanted = former } else { wanted = try folder.status() }
    guard wanted.owner != own.owner || wanted.group != own.group else { return }
    guard fchown(file.raw, wanted.owner, wanted.group) == 0 else { throw SystemError("fchown") }
  }

  /// Appends a suffix such as `.bad` to the name. A link itself is renamed, not its target.
  package func rename(addingEnding ending: String) throws(SystemError) {
    guard rename(name, to: name + ending) == 0 else {
      throw SystemError("rename", on: path + ending)
    }
  }

  /// Deletes the file if it exists.
  package func remove() { _ = unlink(name) }

  /// Deletes the file if it exists, and syncs the folder.
  package func removeDurably() throws(SystemError) {
    guard unlink(name) == 0 else {
      guard clinux_errno() == ENOENT else { throw SystemError("unlink", on: path) }
      return
    }
    try syncFolder()
  }

  /// Waits until the folder's entries are on the storage.
  package func syncFolder() throws(SystemError) {
    let fd = clinux_open_at(folder.raw, ".", O_RDONLY | O_DIRECTORY, 0)
    guard fd >= 0 else { throw SystemError("open", on: AtomicFile.folder(of: path)) }
    let opened = FileDescriptor(owning: fd).outOfReach()
    do throws(SystemError) {
      try opened.sync()
    } catch {
      // Some file systems do not support syncing a folder.
      guard error.code == EINVAL else {
        throw SystemError(error.call, on: AtomicFile.folder(of: path), code: error.code)
      }
    }
  }
}

extension FileDescriptor {
  /// Writes all of `bytes` at an offset.
  package func writeAll(bytes: [UInt8], at offset: Int) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try writeAll(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
