// File operations for surviving a power loss: sync, reserve, lock. Blocks on storage, up to seconds on an SD
// card; not for the audio thread.

import CLinux

extension FileDescriptor {
  /// Creates a file for reading and writing; fails if it exists. The umask applies to `permissions`.
  package static func createNew(_ path: String, permissions: UInt32) throws(SystemError) -> FileDescriptor {
    let fd = path.withPath {
      clinux_create($0, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
    }
    guard fd >= 0 else { throw SystemError("create", on: path) }
    return FileDescriptor(owning: fd).outOfReach()
  }

  /// Waits until the contents and the metadata needed to read them are on the storage (fdatasync(2)). After
  /// an error the kernel may have dropped the written data: write it again before the next attempt.
  package func syncData() throws(SystemError) {
    while fdatasync(raw) != 0 {
      guard clinux_errno() == EINTR else { throw SystemError("fdatasync") }
    }
  }

  /// Waits until contents and all metadata are on the storage (fsync(2)); for a folder, its entries.
  package func sync() throws(SystemError) {
    while fsync(raw) != 0 {
      guard clinux_errno() == EINTR else { throw SystemError("fsync") }
    }
  }

  /// Sets the file's size and reserves its blocks (posix_fallocate(3)). On file systems without this, only
  /// the size is set, and later writes may find the storage full.
  package func reserve(_ size: Int) throws(SystemError) {
    while true {
      let code = posix_fallocate(raw, 0, off_t(size))
      switch code {
      case 0: return
      case EINTR: continue
      case EOPNOTSUPP, EINVAL, ENOSYS:
        guard ftruncate(raw, off_t(size)) == 0 else { throw SystemError("ftruncate") }
        return
      default: throw SystemError("posix_fallocate", code: code)
      }
    }
  }

  /// Locks the open file until the descriptor and its duplicates are closed (flock(2)).
  ///
  /// - Returns: False if another process holds the lock.
  package func lock() throws(SystemError) -> Bool {
    while flock(raw, LOCK_EX | LOCK_NB) != 0 {
      switch clinux_errno() {
      case EINTR: continue
      case EAGAIN: return false
      default: throw SystemError("flock")
      }
    }
    return true
  }

  /// Whether the file is on an in-memory file system (tmpfs, ramfs), where writing neither blocks nor wears
  /// storage.
  package func isInMemory() throws(SystemError) -> Bool {
    let answer = clinux_is_in_memory(raw)
    guard answer >= 0 else { throw SystemError("fstatfs") }
    return answer == 1
  }

  /// The status of the open file.
  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    guard fstat(raw, &status) == 0 else { throw SystemError("fstat") }
    return FileStatus(status)
  }
}

/// The identity of a file, independent of its names.
package struct FileIdentity: Hashable, Sendable {
  /// The device number.
  package let device: UInt64
  /// The inode number.
  package let file: UInt64
}

/// The status of a file (stat(2)).
package struct FileStatus: Hashable, Sendable {
  /// The file's identity.
  package let identity: FileIdentity
  /// The size in bytes.
  package let size: Int
  /// The time of the last modification in seconds since 1970.
  package let modified: Int64
  /// The nanoseconds of that time; 0 if the file system does not record them.
  package let modifiedNanoseconds: Int
  /// The permission bits.
  package let permissions: UInt32
  /// The number of hard links; 0 once it has been deleted.
  package let names: Int
  /// Whether it is an ordinary file.
  package let isRegular: Bool
  /// Whether it is a device.
  package let isDevice: Bool
  /// Whether it is a pipe with a name (FIFO).
  package let isPipe: Bool
  /// Whether it is a folder.
  package let isFolder: Bool
  /// Whether it is a symbolic link; always false if links were followed.
  package let isLink: Bool
  /// The owner's user id.
  package let owner: UInt32
  /// The group id.
  package let group: UInt32

  init(_ status: stat) {
    identity = FileIdentity(device: UInt64(status.st_dev), file: UInt64(status.st_ino))
    size = Int(clamping: status.st_size)
    modified = Int64(status.st_mtim.tv_sec)
    modifiedNanoseconds = Int(status.st_mtim.tv_nsec)
    permissions = UInt32(status.st_mode) & 0o7777
    names = Int(status.st_nlink)
    isRegular = clinux_is_regular(status.st_mode) != 0
    isDevice = clinux_is_device(status.st_mode) != 0
    isPipe = clinux_is_pipe(status.st_mode) != 0
    isFolder = clinux_is_directory(status.st_mode) != 0
    isLink = clinux_is_link(status.st_mode) != 0
    owner = UInt32(status.st_uid)
    group = UInt32(status.st_gid)
  }

  /// The status of the file at a path, following links; nil if there is none.
  package static func of(_ path: String) throws(SystemError) -> FileStatus? {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else {
      guard clinux_errno() != ENOENT else { return nil }
      throw SystemError("stat", on: path)
    }
    return FileStatus(status)
  }
}
