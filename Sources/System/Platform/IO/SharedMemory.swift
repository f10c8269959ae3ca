// Memory shared by two processes: an anonymous file of sealed size, and its mapping. Any thread.

import CLinux

/// A shared writable mapping, unmapped on release. No thread may use `base` after that.
@usableFromInline package struct SharedMemory: ~Copyable, @unchecked Sendable {
  /// The first byte, page-aligned.
  package let base: UnsafeMutableRawPointer
  /// The size in bytes.
  package let size: Int

  /// Maps the first `size` bytes of `file` (mmap(2)).
  package init(mapping file: borrowing FileDescriptor, size: Int) throws(SystemError) {
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.raw, 0)
    guard let mapped, clinux_map_failed(mapped) == 0 else { throw SystemError("mmap") }
    base = mapped
    self.size = size
  }

  /// Locks the first `bytes` in memory (mlock(2)), or at least loads their pages, for a thread that must not
  /// wait for a page fault.
  package func makeResident(_ bytes: Int) {
    precondition(bytes <= size)
    _ = mlock(base, bytes)
    // If the limit of locked memory is exceeded, loading the pages is the best effort.
    clinux_touch(base, bytes)
  }

  deinit { _ = munmap(base, size) }

  /// Creates a zeroed anonymous file whose size is sealed (memfd_create(2)), so that a peer cannot shrink it
  /// and make accesses fault.
  ///
  /// - Parameters:
  ///   - name: The name shown in /proc/PID/maps.
  ///   - size: The size in bytes.
  package static func createFile(name: String, size: Int) throws(SystemError) -> FileDescriptor {
    let raw = clinux_memfd_create(name, CLINUX_MFD_SEALABLE)
    guard raw >= 0 else { throw SystemError("memfd_create", on: name) }
    let file = FileDescriptor(owning: raw)
    guard ftruncate(file.raw, off_t(size)) == 0 else { throw SystemError("ftruncate", on: name) }
    guard clinux_fcntl(file.raw, CLINUX_F_ADD_SEALS, CLINUX_SEALS_FIXED_SIZE) >= 0 else {
      throw SystemError("fcntl F_ADD_SEALS", on: name)
    }
    return file
  }
}
