// Memory that two processes map: an anonymous file whose size is sealed, and a mapping of it. Any thread.

import CLinux

/// A shared, readable and writable mapping, undone when this value goes. Whoever else knows `base` must
/// have stopped using it by then.
@usableFromInline package struct SharedMemory: ~Copyable, @unchecked Sendable {
  /// The first byte, page-aligned.
  package let base: UnsafeMutableRawPointer
  /// Bytes mapped.
  package let size: Int

  /// Maps the first `size` bytes of `file` (mmap(2)).
  package init(mapping file: borrowing FileDescriptor, size: Int) throws(SystemError) {
    let mapped = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.raw, 0)
    guard let mapped, clinux_map_failed(mapped) == 0 else { throw SystemError("mmap") }
    base = mapped
    self.size = size
  }

  /// Has the first `bytes` in memory from now on, as far as the limit of locked memory goes in any case (mlock(2)): for a thread
  /// that may not wait for a page.
  package func makeResident(_ bytes: Int) {
    precondition(bytes <= size)
    _ = mlock(base, bytes)
    // Where nothing may be locked, the pages are there all the same.
    clinux_touch(base, bytes)
  }

  deinit { _ = munmap(base, size) }

  /// A zeroed anonymous file of `size` bytes that nobody can ever shrink or grow (memfd_create(2)): a peer
  /// cannot make the mapping fault. `name` shows in /proc/PID/maps.
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
