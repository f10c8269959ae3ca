// Small text files that a person wrote for this program. Control thread.

import CLinux

/// Whole text files.
public enum TextFile {
  /// The file's text; what is not UTF-8 is replaced. Errors name the path; a file over `limit` bytes is one.
  public static func read(_ path: String, limit: Int) throws(SystemError) -> String {
    let file = try FileDescriptor.open(path, O_RDONLY)
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 4096)
    while true {
      let room = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: chunk.count)
      defer { room.deallocate() }
      guard let n = try file.read(into: UnsafeMutableRawBufferPointer(room)), n > 0 else { break }
      chunk = Array(room[..<n])
      bytes += chunk
      guard bytes.count <= limit else { throw SystemError("read", on: path, code: EFBIG) }
      chunk = [UInt8](repeating: 0, count: 4096)
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
