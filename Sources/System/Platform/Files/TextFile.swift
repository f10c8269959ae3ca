// Reads and writes small text files. Control thread.

import CLinux

/// Reads and writes whole text files.
package enum TextFile {
  /// Reads a file as text, replacing invalid UTF-8.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most bytes.
  ///   - mayBePipe: Whether a pipe or a device is read, too, and waited for.
  /// - Throws: An error that names the path; EFBIG for more than `limit` bytes.
  package static func read(_ path: String, limit: Int, mayBePipe: Bool = false) throws(SystemError) -> String
  {
    let bytes = try bytes(path, limit: limit + 1, mayBePipe: mayBePipe)
    guard bytes.count <= limit else { throw SystemError("read", on: path, code: EFBIG) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a file's first `limit` bytes.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - limit: The most bytes.
  ///   - mayBePipe: Whether a pipe or a device is read, too, and waited for: for files that a user names at a terminal.
  /// - Throws: An error that names the path. A folder, and a pipe or a device unless `mayBePipe`, is refused without
  ///   waiting for it; `/dev/null` is an empty file.
  package static func bytes(
    _ path: String, limit: Int, mayBePipe: Bool = false
  ) throws(SystemError) -> [UInt8] {
    let flags = O_RDONLY | O_NOCTTY | (mayBePipe ? 0 : O_NONBLOCK)
    let file: FileDescriptor
    do throws(SystemError) {
      file = try FileDescriptor.open(path, flags).outOfReach()
    } catch {
      // A socket cannot be opened.
      if error.code == ENXIO, try FileStatus.of(path)?.isRegular == false {
        throw SystemError(FileRefusal.call, on: path, code: EINVAL)
      }
      throw error
    }
    do throws(SystemError) {
      let status = try file.status()
      if status.isFolder || !mayBePipe && path != "/dev/null" { try FileRefusal.check(status, path) }
      var bytes: [UInt8] = []
      while bytes.count < limit, let more = try file.read(atMost: min(4096, limit - bytes.count)),
        !more.isEmpty
      {
        bytes += more
      }
      return bytes
    } catch {
      throw SystemError(error.call, on: path, code: error.code)
    }
  }

  /// Overwrites an existing file with a single write, as sysfs requires.
  ///
  /// - Throws: An error that names the path.
  package static func overwrite(_ path: String, with text: String) throws(SystemError) {
    let file = try FileDescriptor.open(path, O_WRONLY | O_TRUNC)
    do throws(SystemError) {
      try file.writeAll(Array(text.utf8))
    } catch {
      throw SystemError(error.call, on: path, code: error.code)
    }
  }
}
