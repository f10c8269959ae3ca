// A file in memory that is mapped, so that what is written to it outlives the process. Never waits: a file on storage is
// refused. Any thread.

import CLinux

/// A small file on a file system that lies in memory.
package enum MemoryFile {
  /// The file's contents if there is one and no process has claimed it; nil if there is none. EBUSY if another process
  /// has it, ENOTSUP if it does not lie in memory.
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

  /// Makes a new file of zeros, claimed by this process, with all its memory taken: using the mapping cannot fail
  /// later for want of it. What had the name is gone.
  package static func create(_ path: String, size: Int) throws(SystemError) -> FileDescriptor {
    let place = try StateFile(path)
    // What is no ordinary file is refused, and not replaced.
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

  /// Adds an ending to a file's name.
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
