// A file descriptor with a single owner, which closes it on release. Any thread.

import CLinux

/// An open file descriptor. Moving it transfers ownership.
@frozen
@usableFromInline package struct FileDescriptor: ~Copyable, Sendable {
  /// The descriptor's number, for system calls. Do not close it.
  package let raw: Int32

  /// Takes ownership of `raw`, which must be open and have no other owner.
  package init(owning raw: Int32) {
    precondition(raw >= 0, "not a file descriptor")
    self.raw = raw
  }

  deinit { _ = close(raw) }

  /// Opens a path with `O_CLOEXEC`.
  ///
  /// - Throws: An error that names the path.
  package static func open(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    let fd = path.withPath { clinux_open($0, flags | O_CLOEXEC) }
    guard fd >= 0 else { throw SystemError("open", on: path) }
    return FileDescriptor(owning: fd)
  }

  /// Creates or truncates a file for reading and writing, with mode 0644 before the umask.
  package static func create(_ path: String) throws(SystemError) -> FileDescriptor {
    let fd = path.withPath { clinux_create($0, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644) }
    guard fd >= 0 else { throw SystemError("create", on: path) }
    return FileDescriptor(owning: fd).outOfReach()
  }

  /// The next connection of a non-blocking listening socket; nil if there is none.
  package func accept() throws(SystemError) -> FileDescriptor? {
    let fd = clinux_accept(raw)
    if fd >= 0 { return FileDescriptor(owning: fd) }
    // The client may have disconnected before it was accepted.
    guard [EAGAIN, EINTR, ECONNABORTED].contains(clinux_errno()) else { throw SystemError("accept") }
    return nil
  }

  /// A duplicate descriptor for the same open file.
  package func duplicate() throws(SystemError) -> FileDescriptor {
    let fd = clinux_fcntl(raw, F_DUPFD_CLOEXEC, 3)
    guard fd >= 0 else { throw SystemError("dup") }
    return FileDescriptor(owning: fd)
  }

  /// Moves the file to a descriptor number that is never copied into a child, because closing the copy would
  /// wait for the file's storage. For files that stay open while children are started. If no such number is
  /// free, the old one is kept.
  package consuming func outOfReach() -> FileDescriptor {
    let fd = clinux_fcntl(raw, F_DUPFD_CLOEXEC, CLINUX_FIRST_FOR_STORAGE)
    return fd >= 0 ? FileDescriptor(owning: fd) : self
  }

  /// Transfers the number and the duty to close it to the caller.
  package consuming func release() -> Int32 {
    let fd = raw
    discard self
    return fd
  }

  /// Makes reads and writes fail with EAGAIN instead of blocking.
  package func setNonBlocking() throws(SystemError) {
    let flags = clinux_fcntl(raw, F_GETFL, 0)
    guard flags >= 0, clinux_fcntl(raw, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw SystemError("fcntl")
    }
  }

  /// Makes reads and writes block.
  package func setBlocking() throws(SystemError) {
    let flags = clinux_fcntl(raw, F_GETFL, 0)
    guard flags >= 0, clinux_fcntl(raw, F_SETFL, flags & ~O_NONBLOCK) >= 0 else {
      throw SystemError("fcntl")
    }
  }

  /// Reads into `buffer`, retrying after EINTR.
  ///
  /// - Returns: The number of bytes; 0 at the end of file, nil if a read would block.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(SystemError) -> Int? {
    while true {
      let n = CLinux.read(raw, buffer.baseAddress, buffer.count)
      if n >= 0 { return n }
      switch clinux_errno() {
      case EINTR: continue
      case EAGAIN: return nil
      default: throw SystemError("read")
      }
    }
  }

  /// Reads from an offset of a file, retrying after EINTR and short reads.
  ///
  /// - Returns: The number of bytes, less than requested only at the end of the file.
  package func readAll(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) throws(SystemError) -> Int
  {
    var done = 0
    while done < buffer.count {
      let n = pread(raw, buffer.baseAddress! + done, buffer.count - done, off_t(offset + done))
      if n == 0 { break }
      if n > 0 {
        done += n
      } else if clinux_errno() != EINTR {
        throw SystemError("pread")
      }
    }
    return done
  }

  /// Reads at most `limit` bytes: empty at the end of file, nil if a read would block.
  package func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 16)
    defer { buffer.deallocate() }
    return try read(into: buffer).map { Array(buffer[..<$0]) }
  }

  /// Writes all of `bytes`, retrying after EINTR and short writes. For blocking descriptors.
  package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
    let result = bytes.withUnsafeBytes { buffer -> SystemError? in
      do throws(SystemError) {
        try writeAll(buffer)
        return nil
      } catch {
        return error
      }
    }
    if let result { throw result }
  }

  /// Writes all of `bytes` at an offset of a file, retrying after EINTR and short writes.
  package func writeAll(_ bytes: UnsafeRawBufferPointer, at offset: Int) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let n = pwrite(raw, bytes.baseAddress! + done, bytes.count - done, off_t(offset + done))
      if n >= 0 {
        done += n
      } else if clinux_errno() != EINTR {
        throw SystemError("pwrite")
      }
    }
  }

  /// Writes all of `bytes`, retrying after EINTR and short writes. For blocking descriptors.
  package func writeAll(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let n = CLinux.write(raw, bytes.baseAddress! + done, bytes.count - done)
      if n >= 0 {
        done += n
      } else if clinux_errno() != EINTR {
        throw SystemError("write")
      }
    }
  }

  /// Writes what fits without blocking, on a non-blocking descriptor.
  ///
  /// - Returns: The number of bytes written; nil if the peer is gone.
  package func writeSome(_ bytes: UnsafeRawBufferPointer) -> Int? {
    while true {
      let n = CLinux.write(raw, bytes.baseAddress, bytes.count)
      if n >= 0 { return n }
      switch clinux_errno() {
      case EINTR: continue
      case EAGAIN: return 0
      default: return nil
      }
    }
  }
}
