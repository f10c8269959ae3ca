// Small text files that a person wrote for this program. Control thread.

import CLinux

/// Whole text files.
package enum TextFile {
  /// The file's text; what is not UTF-8 is replaced. Errors name the path; a file over `limit` bytes is one.
  package static func read(_ path: String, limit: Int) throws(SystemError) -> String {
    let bytes = try bytes(path, limit: limit + 1)
    guard bytes.count <= limit else { throw SystemError("read", on: path, code: EFBIG) }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// The file's first `limit` bytes. Errors name the path.
  package static func bytes(_ path: String, limit: Int) throws(SystemError) -> [UInt8] {
    let file = try FileDescriptor.open(path, O_RDONLY).outOfReach()
    var bytes: [UInt8] = []
    while bytes.count < limit, let more = try file.read(atMost: min(4096, limit - bytes.count)), !more.isEmpty
    {
      bytes += more
    }
    return bytes
  }

  /// Writes a file that exists, as a whole and in one write, as files of sysfs want it. Errors name the path.
  package static func overwrite(_ path: String, with text: String) throws(SystemError) {
    let file = try FileDescriptor.open(path, O_WRONLY | O_TRUNC)
    do throws(SystemError) {
      try file.writeAll(Array(text.utf8))
    } catch {
      throw SystemError(error.call, on: path, code: error.code)
    }
  }
}
