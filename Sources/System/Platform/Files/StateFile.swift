// Files that the box writes: opened without following links, and only where they are ordinary files. Waits for the storage; not for the
// audio thread.

import CLinux

/// The place of a file of the box's state: its folder, opened without links, and its name there.
///
/// A link that another program has put in the way must not lead the box to a file of somebody else's, and a pipe or a device must not
/// hold it up. Links in the folder's path are followed only where root made them on the root file system, such as `/var/run`.
package struct StateFile: ~Copyable {
  /// What ends the name of a file that is being written, and takes the other's name when it is whole.
  package static let temporaryEnding = ".new"

  /// The file's path, for errors.
  package let path: String
  private let folder: FileDescriptor
  private let name: String

  /// Opens the folder of `path`. Errors name the file, or the link that is not followed.
  package init(_ path: String) throws(SystemError) {
    let bytes = Array(path.utf8)
    let start = bytes.lastIndex(of: 0x2F).map { $0 + 1 } ?? 0
    guard start < bytes.count else { throw SystemError(StateFileRefusal.call, on: path, code: EISDIR) }
    let opened = try StateFolder.open(String(decoding: bytes[..<start], as: UTF8.self), for: path)
    self.path = path
    name = String(decoding: bytes[start...], as: UTF8.self)
    folder = opened
  }

  /// What the kernel knows of the file; nil where there is none. Throws for what is no ordinary file.
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

  /// Opens the file that is there. Throws for what is no ordinary file, which is not touched; ENOENT where there is none.
  ///
  /// - Parameter flags: `O_RDONLY` or `O_RDWR`, and others of open(2).
  package func open(_ flags: Int32) throws(SystemError) -> FileDescriptor {
    guard try status() != nil else { throw SystemError("open", on: path, code: ENOENT) }
    let fd = name.withPath {
      clinux_open_at(folder.raw, $0, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY, 0)
    }
    guard fd >= 0 else { throw SystemError("open", on: path) }
    let file = FileDescriptor(owning: fd).outOfReach()
    // It may have been replaced between the two calls.
    try StateFileRefusal.check(try file.status(), path)
    return file
  }

  /// The file's first `limit` bytes.
  package func contents(limit: Int) throws(SystemError) -> [UInt8] {
    let file = try open(O_RDONLY)
    var bytes: [UInt8] = []
    while bytes.count < limit, let more = try file.read(atMost: min(4096, limit - bytes.count)), !more.isEmpty
    {
      bytes += more
    }
    return bytes
  }

  /// Makes the file anew, removing what has the name: a link goes, not what it leads to. A folder stays, and is an error.
  package func createAfresh(permissions: UInt32) throws(SystemError) -> FileDescriptor {
    try createAfresh(name, path, permissions)
  }

  /// Makes the file under its temporary name. `commit` gives it its own.
  package func createTemporary(permissions: UInt32) throws(SystemError) -> FileDescriptor {
    try createAfresh(name + Self.temporaryEnding, temporaryPath, permissions)
  }

  /// The path of the file that is being written, for errors.
  package var temporaryPath: String { path + Self.temporaryEnding }

  private func createAfresh(
    _ name: String, _ path: String, _ permissions: UInt32
  ) throws(SystemError) -> FileDescriptor {
    guard unlinkat(folder.raw, name, 0) == 0 || clinux_errno() == ENOENT else {
      throw SystemError("unlink", on: path)
    }
    let fd = clinux_open_at(
      folder.raw, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, mode_t(permissions))
    guard fd >= 0 else { throw SystemError("create", on: path) }
    return FileDescriptor(owning: fd).outOfReach()
  }

  /// Gives the file that was made under the temporary name its own, and waits until the folder knows. Where that fails, the temporary
  /// file is removed.
  package func commit() throws(SystemError) {
    let temporary = name + Self.temporaryEnding
    guard renameat(folder.raw, temporary, folder.raw, name) == 0 else {
      let error = SystemError("rename", on: path)
      discardTemporary()
      throw error
    }
    try syncFolder()
  }

  /// Removes the file that was made under the temporary name.
  package func discardTemporary() { _ = unlinkat(folder.raw, name + Self.temporaryEnding, 0) }

  /// Replaces the file's contents so that a loss of power leaves the old ones or the new ones: written under the temporary name, synced,
  /// renamed, and the folder synced. Where root writes, the file stays with its owner, and a new one belongs to that of its folder.
  ///
  /// - Parameters:
  ///   - permissions: Those of a new file, less the umask; those of an old one are kept.
  ///   - isPrivate: Whether only the file's owner keeps rights.
  /// - Throws: What names the step and the file; the old file is there then. What is no ordinary file is refused and not touched.
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

  /// Gives a file that root has made to the owner of the one that it replaces, or of the folder.
  private func keepOwner(of former: FileStatus?, on file: borrowing FileDescriptor) throws(SystemError) {
    guard geteuid() == 0 else { return }
    let own = try file.status()
    let wanted: FileStatus
    if let former { wanted = former } else { wanted = try folder.status() }
    guard wanted.owner != own.owner || wanted.group != own.group else { return }
    guard fchown(file.raw, wanted.owner, wanted.group) == 0 else { throw SystemError("fchown") }
  }

  /// Gives whatever has the name another one, such as `.bad`. A link is renamed, not what it leads to.
  package func rename(addingEnding ending: String) throws(SystemError) {
    guard renameat(folder.raw, name, folder.raw, name + ending) == 0 else {
      throw SystemError("rename", on: path + ending)
    }
  }

  /// Removes the file, if it is there.
  package func remove() { _ = unlinkat(folder.raw, name, 0) }

  /// Removes the file, if it is there, and waits until the folder knows.
  package func removeDurably() throws(SystemError) {
    guard unlinkat(folder.raw, name, 0) == 0 else {
      guard clinux_errno() == ENOENT else { throw SystemError("unlink", on: path) }
      return
    }
    try syncFolder()
  }

  /// Waits until the folder's names are on the storage.
  package func syncFolder() throws(SystemError) {
    let fd = clinux_open_at(folder.raw, ".", O_RDONLY | O_DIRECTORY, 0)
    guard fd >= 0 else { throw SystemError("open", on: AtomicFile.folder(of: path)) }
    let opened = FileDescriptor(owning: fd).outOfReach()
    do throws(SystemError) {
      try opened.sync()
    } catch {
      // Some file systems know no sync of a folder; there is nothing more to be done on them.
      guard error.code == EINVAL else {
        throw SystemError(error.call, on: AtomicFile.folder(of: path), code: error.code)
      }
    }
  }
}

extension FileDescriptor {
  /// Writes all of `bytes` at a place.
  package func writeAll(bytes: [UInt8], at offset: Int) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try writeAll(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
