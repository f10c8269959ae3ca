// The media file as a codec sees it: the host's I/O table with a memory of failure. Worker process only;
// it never opens anything. Passed unretained as the context of C libraries' callbacks.

import CodecPlugin

/// The host's I/O table. Remembers whether a read failed, which C libraries tend to report as an end.
public final class MediaInput {
  private let io: swiftlet_io
  /// Set by the first read or seek that the host refused.
  public private(set) var hasFailed = false
  /// The file's bytes, or nil if the host cannot tell.
  public let length: Int64?

  /// Takes a copy of the table; its context must outlive this object.
  public init(_ io: swiftlet_io) {
    self.io = io
    let bytes = io.length(io.context)
    length = bytes >= 0 ? bytes : nil
  }

  /// The offset that the next read starts at, in bytes; negative if the host cannot tell.
  public var position: Int64 { io.tell(io.context) }

  /// Reads up to `count` bytes: how many came, 0 at the end, negative if the host failed.
  public func read(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
    guard count > 0 else { return 0 }
    let got = io.read(io.context, buffer, count)
    if got < 0 { hasFailed = true }
    return min(Int(got), count)
  }

  /// Reads `count` bytes unless the file ends first: how many came, negative if the host failed.
  public func readFully(into buffer: UnsafeMutableRawPointer, count: Int) -> Int {
    var total = 0
    while total < count {
      let got = read(into: buffer + total, count: count - total)
      if got < 0 { return got }
      if got == 0 { break }
      total += got
    }
    return total
  }

  /// Moves to `offset` bytes from the start; false if the host refused.
  public func seek(to offset: Int64) -> Bool {
    guard offset >= 0 else { return false }
    if io.seek(io.context, offset) == 0 { return true }
    hasFailed = true
    return false
  }

  /// As `lseek`: the new offset, or -1. `whence` is 0 (start), 1 (here) or 2 (end).
  public func seek(by offset: Int64, whence: Int32) -> Int64 {
    let base: Int64
    switch whence {
    case 0: base = 0
    case 1: base = position
    case 2:
      guard let length else { return -1 }
      base = length
    default: return -1
    }
    let (target, overflow) = base.addingReportingOverflow(offset)
    guard base >= 0, !overflow, target >= 0, seek(to: target) else { return -1 }
    return target
  }

  /// The input that a C library's callback carries as its context.
  public static func from(_ context: UnsafeMutableRawPointer) -> MediaInput {
    Unmanaged<MediaInput>.fromOpaque(context).takeUnretainedValue()
  }

  /// This input as a C library's context; the decoder keeps the reference that holds it alive.
  public var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
