// A file descriptor that is owned by exactly one place and closed when that place goes. Any thread.

import CLinux

/// An open file descriptor. Moving it moves the duty to close it.
@frozen
@usableFromInline package struct FileDescriptor: ~Copyable, Sendable {
  /// The kernel's number. Borrow it for calls; never close it.
  package let raw: Int32

  /// Takes over `raw`, which must be open and owned by nobody else.
  package init(owning raw: Int32) {
    precondition(raw >= 0, "not a file descriptor")
    self.raw = raw
  }

  deinit { _ = close(raw) }

  /// Opens a path with `O_CLOEXEC`. Errors name the path.
  package static func open(_ path: String, _ flags: Int32) throws(SystemError) -> FileDescriptor {
    let fd = path.withPath { clinux_open($0, flags | O_CLOEXEC) }
    guard fd >= 0 else { throw SystemError("open", on: path) }
    return FileDescriptor(owning: fd)
  }

  /// Creates or truncates a file for writing, `rw-r--r--` less the umask.
  package static func create(_ path: String) throws(SystemError) -> FileDescriptor {
    let fd = clinux_create(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
    guard fd >= 0 else { throw SystemError("create", on: path) }
    return FileDescriptor(owning: fd).outOfReach()
  }

  /// The next connection of a listening socket; nil where there is none. It does not wait.
  package func accept() throws(SystemError) -> FileDescriptor? {
    let fd = clinux_accept(raw)
    if fd >= 0 { return FileDescriptor(owning: fd) }
    // Whoever knocked has gone again, or never did.
    guard [EAGAIN, EINTR, ECONNABORTED].contains(clinux_errno()) else { throw SystemError("accept") }
    return nil
  }

  /// A second descriptor for the same open file.
  package func duplicate() throws(SystemError) -> FileDescriptor {
    let fd = clinux_fcntl(raw, F_DUPFD_CLOEXEC, 3)
    guard fd >= 0 else { throw SystemError("dup") }
    return FileDescriptor(owning: fd)
  }

  /// The same file under a number that no child gets a copy of: closing that would wait for the file's storage. For files that
  /// stay open while children are started; where the process has no such number left, the old one has to do.
  package consuming func outOfReach() -> FileDescriptor {
    let fd = clinux_fcntl(raw, F_DUPFD_CLOEXEC, CLINUX_FIRST_FOR_STORAGE)
    return fd >= 0 ? FileDescriptor(owning: fd) : self
  }

  /// Hands the number and the duty to close it to the caller.
  package consuming func release() -> Int32 {
    let fd = raw
    discard self
    return fd
  }

  /// Makes reads and writes answer EAGAIN instead of waiting.
  package func setNonBlocking() throws(SystemError) {
    let flags = clinux_fcntl(raw, F_GETFL, 0)
    guard flags >= 0, clinux_fcntl(raw, F_SETFL, flags | O_NONBLOCK) >= 0 else {
      throw SystemError("fcntl")
    }
  }

  /// Makes reads and writes wait again.
  package func setBlocking() throws(SystemError) {
    let flags = clinux_fcntl(raw, F_GETFL, 0)
    guard flags >= 0, clinux_fcntl(raw, F_SETFL, flags & ~O_NONBLOCK) >= 0 else {
      throw SystemError("fcntl")
    }
  }

  /// Reads into `buffer`, retrying EINTR: the bytes read, 0 at the end, nil if a read would wait.
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

  /// Reads into `buffer` from `offset` on, retrying EINTR and short reads: the bytes read, fewer than asked
  /// for only at the end of the file. For files.
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

  /// Reads at most `limit` bytes: empty at the end, nil if a read would wait.
  package func read(atMost limit: Int) throws(SystemError) -> [UInt8]? {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: limit, alignment: 16)
    defer { buffer.deallocate() }
    return try read(into: buffer).map { Array(buffer[..<$0]) }
  }

  /// Writes all of `bytes`, retrying EINTR and short writes. For descriptors that block.
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

  /// Writes all of `bytes` at `offset`, retrying EINTR and short writes. For files.
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

  /// Writes all of `bytes`, retrying EINTR and short writes. For descriptors that block.
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

  /// Writes what fits without waiting, of a descriptor that does not block: the bytes taken, nil if the other
  /// end is gone.
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
