// Bounded random access to a media file, for the picture search. Runs in the picture process inside its sandbox; one
// thread.

import CLinux
import MediaFormats

/// The bytes of a file. Sizes in the file are untrusted: reads beyond its end return fewer bytes.
final class PictureInput: ByteSource {
  enum Source {
    /// An open descriptor.
    case file(Int32)
    /// Bytes in memory, for tests and fuzzers.
    case memory([UInt8])
  }

  /// Maximum number of bytes read from one file: a picture in base64, and the data before it.
  private static let maxBytes = 48 << 20

  private let source: Source
  let length: Int64
  private var left = maxBytes

  init(_ source: Source, length: Int64) {
    self.source = source
    self.length = length
  }

  /// Reads bytes at an offset; fewer at the end of the file, after a read error, or beyond the limit.
  func bytes(at offset: Int64, count: Int) throws(Never) -> [UInt8] {
    guard offset >= 0, offset < length, count > 0 else { return [] }
    let wanted = min(count, Int(min(length - offset, Int64(left))))
    left -= wanted
    switch source {
    case .memory(let bytes): return Array(bytes[Int(offset)..<Int(offset) + wanted])
    case .file(let descriptor):
      var bytes = [UInt8](repeating: 0, count: wanted)
      var got = 0
      while got < wanted {
        let more = bytes.withUnsafeMutableBytes {
          pread(descriptor, $0.baseAddress! + got, wanted - got, off_t(offset) + off_t(got))
        }
        guard more > 0 else { break }
        got += more
      }
      return Array(bytes.prefix(got))
    }
  }
}
