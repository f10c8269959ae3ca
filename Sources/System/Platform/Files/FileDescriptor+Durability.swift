// What makes a file survive a loss of power. Waits for the storage, up to seconds on an SD card; not for the
// audio thread.

import CLinux

extension FileDescriptor {
  /// Creates a file that must not exist yet, for reading and writing, with these permissions less the umask.
  package static func createNew(_ path: String, permissions: UInt32) throws(SystemError) -> FileDescriptor {
    let fd = clinux_create(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode_t(permissions))
    guard fd >= 0 else { throw SystemError("create", on: path) }
    return FileDescriptor(owning: fd).outOfReach()
  }

  /// Waits until the contents, and what is needed to read them, are on the storage (fdatasync(2)). After an
  /// error the kernel may have dropped what was written: write it again before the next try.
  package func syncData() throws(SystemError) {
    while fdatasync(raw) != 0 {
      guard clinux_errno() == EINTR else { throw SystemError("fdatasync") }
    }
  }

  /// Waits until contents and all attributes are on the storage (fsync(2)); for a folder, its names.
  package func sync() throws(SystemError) {
    while fsync(raw) != 0 {
      guard clinux_errno() == EINTR else { throw SystemError("fsync") }
    }
  }

  /// Makes the file `size` bytes long with room for all of them reserved, where the file system can
  /// (posix_fallocate(3)); elsewhere only the length is set, and writing may still find the storage full.
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

  /// Claims the open file for this process until the descriptor and its duplicates are closed (flock(2));
  /// false if somebody else has it.
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

  /// Whether the open file lies in memory (tmpfs, ramfs): writing to it waits for no storage and wears none.
  package func isInMemory() throws(SystemError) -> Bool {
    let answer = clinux_is_in_memory(raw)
    guard answer >= 0 else { throw SystemError("fstatfs") }
    return answer == 1
  }

  /// What the kernel knows of the open file.
  package func status() throws(SystemError) -> FileStatus {
    var status = stat()
    guard fstat(raw, &status) == 0 else { throw SystemError("fstat") }
    return FileStatus(status)
  }
}

/// A file, whatever it is called.
package struct FileIdentity: Hashable, Sendable {
  /// The device it is on.
  package let device: UInt64
  /// Its number on the device.
  package let file: UInt64
}

/// What the kernel knows of a file (stat(2)).
package struct FileStatus: Hashable, Sendable {
  /// Which file it is.
  package let identity: FileIdentity
  /// Its length in bytes.
  package let size: Int
  /// When it was written last, in seconds since 1970.
  package let modified: Int64
  /// The nanoseconds of that second; 0 where the file system counts none.
  package let modifiedNanoseconds: Int
  /// The permission bits.
  package let permissions: UInt32
  /// How many names it has; 0 once it was removed.
  package let names: Int
  /// Whether it is an ordinary file.
  package let isRegular: Bool
  /// Whether it is a device.
  package let isDevice: Bool
  /// Whether it is a folder.
  package let isFolder: Bool
  /// Whether it is a symbolic link itself; never of a path that was followed.
  package let isLink: Bool
  /// The user's number that it belongs to.
  package let owner: UInt32
  /// The group's number that it belongs to.
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
    isFolder = clinux_is_directory(status.st_mode) != 0
    isLink = clinux_is_link(status.st_mode) != 0
    owner = UInt32(status.st_uid)
    group = UInt32(status.st_gid)
  }

  /// Of what a path leads to, links followed; nil where there is nothing.
  package static func of(_ path: String) throws(SystemError) -> FileStatus? {
    var status = stat()
    guard path.withPath({ stat($0, &status) }) == 0 else {
      guard clinux_errno() != ENOENT else { return nil }
      throw SystemError("stat", on: path)
    }
    return FileStatus(status)
  }
}
