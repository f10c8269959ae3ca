// A checkpoint file. One thread at a time; waits for the storage, up to seconds on an SD card.

import CLinux
import Platform

/// A file whose blocks are reserved, written in place, locked against a second daemon.
package final class FileStorage: CachedStorage {
  private var file: FileDescriptor
  private let path: String
  /// The number of bytes when it was opened.
  package let size: Int
  /// Whether it could only be opened for reading. Each write tries again to open it for writing.
  package private(set) var isReadOnly: Bool

  /// Opens and locks a file, for reading only where writing is not allowed; nil if there is none. Errors
  /// name the file: EBUSY if another process has it, ELOOP for a symbolic link, ENOTSUP for a device,
  /// EINVAL for anything else that is no ordinary file.
  package static func open(_ path: String) throws(SystemError) -> FileStorage? {
    do throws(SystemError) {
      var isReadOnly = false
      let file = try openForWriting(path, &isReadOnly)
      let status = try checked(file, path)
      return FileStorage(file, path, size: status.size, isReadOnly: isReadOnly)
    } catch {
      guard error.code != ENOENT else { return nil }
      throw error
    }
  }

  /// Creates a file of `size` bytes that begins with `head`, replacing what was there: reserved and synced
  /// under the name `path.new` first, so that a half-made one is never seen. Mode 0600, locked.
  package static func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> FileStorage {
    let temporary = path + ".new"
    let file = try AtomicFile.createAfresh(temporary, permissions: 0o600)
    do throws(SystemError) {
      guard try file.lock() else { throw SystemError("flock", code: EBUSY) }
      try file.reserve(size)
      try writeAll(head, to: file, at: 0)
      try file.sync()
    } catch {
      _ = unlink(temporary)
      throw SystemError(error.call, on: temporary, code: error.code)
    }
    try AtomicFile.rename(temporary, to: path)
    // Another daemon that starts at the same moment may have put its own file under the name.
    let (mine, there) = (try file.status(), try FileStatus.of(path))
    guard there?.identity == mine.identity else { throw SystemError("create", on: path, code: EBUSY) }
    return FileStorage(file, path, size: size, isReadOnly: false)
  }

  private init(_ file: consuming FileDescriptor, _ path: String, size: Int, isReadOnly: Bool) {
    self.file = file
    self.path = path
    self.size = size
    self.isReadOnly = isReadOnly
  }

  /// Reads; short at the end of the file.
  package func read(at offset: Int, count: Int) throws(SystemError) -> [UInt8] {
    guard offset >= 0, count > 0 else { return [] }
    var failure: SystemError?
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) {
        filled = try file.readAll(into: UnsafeMutableRawBufferPointer(buffer), at: offset)
      } catch {
        failure = error
      }
    }
    if let failure { throw named(failure) }
    return bytes
  }

  /// Writes in place; ENOENT once somebody has removed the file, EFBIG beyond its end.
  package func write(_ bytes: [UInt8], at offset: Int) throws(SystemError) {
    guard offset >= 0, offset + bytes.count <= size else {
      throw SystemError("pwrite", on: path, code: EFBIG)
    }
    if isReadOnly { try reopen() }
    do throws(SystemError) {
      guard try file.status().names > 0 else { throw SystemError("pwrite", code: ENOENT) }
      try Self.writeAll(bytes, to: file, at: offset)
    } catch {
      throw named(error)
    }
  }

  /// Waits until everything written is on the storage.
  package func sync() throws(SystemError) {
    do throws(SystemError) { try file.syncData() } catch { throw named(error) }
  }

  private func named(_ error: SystemError) -> SystemError {
    SystemError(error.call, on: path, code: error.code)
  }

  private func reopen() throws(SystemError) {
    let before = try file.status()
    let again = try FileDescriptor.openNoFollow(path, O_RDWR | O_NONBLOCK)
    let status = try Self.checked(again, path, locks: false)
    guard status.identity == before.identity else {
      throw SystemError("open", on: path, code: ESTALE)
    }
    // The lock of the old descriptor would keep the new one out.
    _ = flock(file.raw, LOCK_UN)
    guard try again.lock() else { throw SystemError("flock", on: path, code: EBUSY) }
    file = again
    isReadOnly = false
  }

  private static func openForWriting(
    _ path: String, _ isReadOnly: inout Bool
  ) throws(SystemError) -> FileDescriptor {
    do throws(SystemError) {
      return try FileDescriptor.openNoFollow(path, O_RDWR | O_NONBLOCK)
    } catch {
      guard error.code == EROFS || error.code == EACCES else { throw error }
      isReadOnly = true
      return try FileDescriptor.openNoFollow(path, O_RDONLY | O_NONBLOCK)
    }
  }

  @discardableResult
  private static func checked(
    _ file: borrowing FileDescriptor, _ path: String, locks: Bool = true
  ) throws(SystemError) -> FileStatus {
    let status = try file.status()
    // Renaming one out of the way, as is done with other things, could cost the system a disk.
    guard !status.isDevice else { throw SystemError("open", on: path, code: ENOTSUP) }
    guard status.isRegular else { throw SystemError("open", on: path, code: EINVAL) }
    if locks, !(try file.lock()) { throw SystemError("flock", on: path, code: EBUSY) }
    return status
  }

  private static func writeAll(
    _ bytes: [UInt8], to file: borrowing FileDescriptor, at offset: Int
  ) throws(SystemError) {
    var failure: SystemError?
    bytes.withUnsafeBytes { buffer in
      do throws(SystemError) { try file.writeAll(buffer, at: offset) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}
