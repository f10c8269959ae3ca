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
  /// name the file: EBUSY if another process has it; a symbolic link, a folder, a device, a pipe and a socket are refused as
  /// `StateFile` refuses them.
  package static func open(_ path: String) throws(SystemError) -> FileStorage? {
    do throws(SystemError) {
      var isReadOnly = false
      let file = try openForWriting(path, &isReadOnly)
      let status = try file.status()
      guard try file.lock() else { throw SystemError("flock", on: path, code: EBUSY) }
      return FileStorage(file, path, size: status.size, isReadOnly: isReadOnly)
    } catch {
      guard error.code != ENOENT else { return nil }
      throw error
    }
  }

  /// Creates a file of `size` bytes that begins with `head`, replacing what was there: reserved and synced
  /// under the name `path.new` first, so that a half-made one is never seen. Mode 0600, locked.
  package static func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> FileStorage {
    let place = try StateFile(path)
    // What is no ordinary file is refused, and not replaced.
    _ = try place.status()
    let file = try place.createTemporary(permissions: 0o600)
    do throws(SystemError) {
      guard try file.lock() else { throw SystemError("flock", code: EBUSY) }
      try file.reserve(size)
      try writeAll(head, to: file, at: 0)
      try file.sync()
    } catch {
      place.discardTemporary()
      throw SystemError(error.call, on: place.temporaryPath, code: error.code)
    }
    try place.commit()
    // Another daemon that starts at the same moment may have put its own file under the name.
    let (mine, there) = (try file.status(), try place.status())
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
    let again = try StateFile(path).open(O_RDWR)
    guard try again.status().identity == before.identity else {
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
      return try StateFile(path).open(O_RDWR)
    } catch {
      guard error.code == EROFS || error.code == EACCES else { throw error }
      isReadOnly = true
      return try StateFile(path).open(O_RDONLY)
    }
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
