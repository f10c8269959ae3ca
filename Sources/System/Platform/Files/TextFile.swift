// Reads and writes small text files. Control thread.

import CLinux

/// Reads and writes whole text files.
package enum TextFile {
  /// Reads a file as text, replacing invalid UTF-8.
  ///
  /// - Throws: An error that names the path; EFBIG for more than `limit` bytes.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> String {
    let bytes = try bytes(path, limit: limit + 1)
    guard bytes.count <= limit else { throw SystemError("read", on: path, code: EFBIG) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Reads a file's first `limit` bytes.
  ///
  /// - Throws: An error that names the path.
  package static func bytes(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try FileDescriptor.open(path, O_RDONLY).outOfReach()
    var bytes: [UInt8] = []
    while bytes.count < limit, let more = try file.read(atMost: min(4096, limit - bytes.count)), !more.isEmpty
    {
      bytes += more
    }
    return bytes
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
