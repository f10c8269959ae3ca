// A checkpoint file on a file system. One thread at a time; blocks on storage, up to seconds on an SD card.

import CLinux
import Platform

/// A preallocated file, written in place and locked against a second daemon.
package final class FileStorage: CachedStorage {
  private var file: FileDescriptor
  /// The descriptor that holds the lock, once the file was reopened for writing; nil: `file` holds it.
  private var lockHolder: FileDescriptor?
  private let path: String
  /// The size in bytes at opening.
  package let size: Int
  /// Whether the file is open only for reading. Each write tries to reopen it for writing.
  package private(set) var isReadOnly: Bool

  /// Opens and locks a file, read-only if writing is not allowed; nil if there is none.
  ///
  /// - Throws: An error that names the file: EBUSY if another process holds the lock; links, folders,
  ///   devices, pipes and sockets are refused as by `StateFile`.
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

  /// Creates and locks a file with mode 0600, replacing an existing one atomically: it is preallocated and
  /// synced as `path.new` first.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - size: The size in bytes.
  ///   - head: The first bytes; the rest is zeros.
  package static func create(_ path: String, size: Int, head: [UInt8]) throws(SystemError) -> FileStorage {
    let place = try StateFile(path)
    // Refuse to replace anything but an ordinary file.
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
    // A second daemon starting at the same time may have replaced the file.
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

  /// Reads; returns fewer bytes at the end of the file.
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

  /// Writes in place.
  ///
  /// - Throws: ENOENT if the file has been deleted, EFBIG beyond its end.
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

  /// Waits until all writes have reached the storage.
  package func sync() throws(SystemError) {
    do throws(SystemError) { try file.syncData() } catch { throw named(error) }
  }

  private func named(_ error: SystemError) -> SystemError {
    SystemError(error.call, on: path, code: error.code)
  }

  private func reopen() throws(SystemError) {
    let before = try file.status()
    var again = try StateFile(path).open(O_RDWR)
    guard try again.status().identity == before.identity else {
      throw SystemError("open", on: path, code: ESTALE)
    }
    // The old descriptor keeps the lock: the new one could get it only after a moment without any lock.
    swap(&file, &again)
    lockHolder = consume again
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
