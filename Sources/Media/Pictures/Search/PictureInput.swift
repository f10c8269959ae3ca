// A media file as those read it who look for pictures: by place, bounded. The picture process, behind its sandbox; one thread.

import CLinux

/// The bytes of a file. Nothing that a file says of itself is believed: what lies beyond its end is not there.
final class PictureInput {
  enum Source {
    /// A descriptor that is open.
    case file(Int32)
    /// Bytes at hand, for tests and fuzzers.
    case memory([UInt8])
  }

  /// Bytes that are read of one file at most: a picture in base64, and what is in front of it.
  private static let maxBytes = 48 << 20

  private let source: Source
  let length: Int64
  private var left = maxBytes

  init(_ source: Source, length: Int64) {
    self.source = source
    self.length = length
  }

  /// Bytes from a place on; fewer where the file ends, cannot be read, or enough was read of it.
  func bytes(at offset: Int64, _ count: Int) -> [UInt8] {
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

/// Numbers in bytes.
extension [UInt8] {
  /// A number of so many bytes, the highest first; nil where they are not there.
  func big(_ place: Int, _ count: Int = 4) -> Int? {
    guard place >= 0, place <= self.count - count else { return nil }
    return self[place..<place + count].reduce(0) { $0 << 8 | Int($1) }
  }

  /// A number of four bytes, the lowest first.
  func little(_ place: Int) -> Int? {
    guard place >= 0, place <= count - 4 else { return nil }
    return self[place..<place + 4].reversed().reduce(0) { $0 << 8 | Int($1) }
  }

  /// Whether these letters stand at a place.
  func has(_ letters: StaticString, at place: Int = 0) -> Bool {
    guard place >= 0, place <= count - letters.utf8CodeUnitCount else { return false }
    return (0..<letters.utf8CodeUnitCount).allSatisfy { self[place + $0] == letters.utf8Start[$0] }
  }
}
