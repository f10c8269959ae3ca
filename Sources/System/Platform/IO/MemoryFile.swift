// Files on an in-memory file system, whose mapped contents survive the process. Never blocks: files on
// storage are refused. Any thread.

import CLinux

/// A small file on an in-memory file system.
package enum MemoryFile {
  /// Reads a file that no process has locked; nil if it does not exist.
  ///
  /// - Throws: EBUSY if another process holds the lock, ENOTSUP if the file is not in memory.
  package static func contents(_ path: String, limit: Int) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      let file = try StateFile(path).open(O_RDWR)
      try check(file, path)
      let size = min(try file.status().size, limit)
      guard size > 0 else { return [] }
      var failure: SystemError?
      let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
        do throws(SystemError) {
          filled = try file.readAll(into: UnsafeMutableRawBufferPointer(buffer), at: 0)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      return bytes
    } catch {
      guard error.code != ENOENT else { return nil }
      throw error
    }
  }

  /// Creates and locks a zeroed file, replacing an existing one. All its memory is reserved, so using the
  /// mapping cannot fail later.
  package static func create(_ path: String, size: Int) throws(SystemError) -> FileDescriptor {
    let place = try StateFile(path)
    // Refuse to replace anything but an ordinary file.
    _ = try place.status()
    let file = try place.createAfresh(permissions: 0o600)
    do throws(SystemError) {
      try check(file, path)
      try file.reserve(size)
    } catch {
      place.remove()
      throw SystemError(error.call, on: path, code: error.code)
    }
    return file
  }

  /// Appends a suffix to a file's name.
  package static func rename(_ path: String, addingEnding ending: String) throws(SystemError) {
    try StateFile(path).rename(addingEnding: ending)
  }

  private static func check(_ file: borrowing FileDescriptor, _ path: String) throws(SystemError) {
    let status = try file.status()
    try StateFileRefusal.check(status, path)
    guard try file.isInMemory() else { throw SystemError("map", on: path, code: ENOTSUP) }
    guard try file.lock() else { throw SystemError("flock", on: path, code: EBUSY) }
  }
}
