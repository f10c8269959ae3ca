// The media file as a codec sees it: the host's I/O table behind a buffer, with a memory of failure.
// Worker process only; it never opens anything. Passed unretained as the context of C callbacks.

import CodecPlugin

/// The host's I/O table. Gathers the small reads and the many seeks of codec libraries into few calls, and
/// remembers whether one failed, which the libraries tend to report as an end.
public final class MediaInput {
  private let io: swiftlet_io
  /// Set by the first read or seek that the host refused.
  public private(set) var hasFailed = false
  /// The file's bytes, or nil if the host cannot tell.
  public let length: Int64?
  /// The offset that the next read starts at, in bytes.
  public private(set) var position: Int64
  /// Where the host's own offset is.
  private var hostPosition: Int64
  private let buffer: UnsafeMutableRawPointer
  private var bufferStart: Int64 = 0
  private var bufferCount = 0
  private static let bufferSize = 16384
  /// Reads of this size and more that have to be whole go past the buffer, but for what it holds: they are not worth a second copy.
  private static let minWhole = 4096

  /// Takes a copy of the table; its context must outlive this object.
  public init(_ io: swiftlet_io) {
    self.io = io
    let bytes = io.length(io.context)
    length = bytes >= 0 ? bytes : nil
    hostPosition = max(0, io.tell(io.context))
    position = hostPosition
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 64)
  }

  deinit { buffer.deallocate() }

  /// Reads up to `count` bytes: how many came, 0 at the end, negative if the host failed.
  public func read(into destination: UnsafeMutableRawPointer, count: Int) -> Int {
    read(into: destination, count: count, pastBufferFrom: Self.bufferSize)
  }

  private func read(into destination: UnsafeMutableRawPointer, count: Int, pastBufferFrom least: Int) -> Int {
    guard count > 0 else { return 0 }
    var skipped = position - bufferStart
    if skipped < 0 || skipped >= Int64(bufferCount) {
      if count >= least {
        let got = readFromHost(into: destination, count: count)
        if got > 0 { position += Int64(got) }
        return got
      }
      bufferCount = 0
      let got = readFromHost(into: buffer, count: Self.bufferSize)
      guard got > 0 else { return got }
      (bufferStart, bufferCount, skipped) = (position, got, 0)
    }
    let taken = min(count, bufferCount - Int(skipped))
    destination.copyMemory(from: buffer + Int(skipped), byteCount: taken)
    position += Int64(taken)
    return taken
  }

  private func readFromHost(into destination: UnsafeMutableRawPointer, count: Int) -> Int {
    if hostPosition != position {
      guard io.seek(io.context, position) == 0 else {
        hasFailed = true
        return -1
      }
      hostPosition = position
    }
    let got = Int(io.read(io.context, destination, count))
    guard got >= 0 else {
      hasFailed = true
      return -1
    }
    hostPosition += Int64(min(got, count))
    return min(got, count)
  }

  /// Reads `count` bytes unless the file ends first: how many came, negative if the host failed.
  public func readFully(into destination: UnsafeMutableRawPointer, count: Int) -> Int {
    // Also what is left of them once the buffer is empty, so that the next one finds it so.
    let least = count >= Self.minWhole ? 1 : Self.bufferSize
    var total = 0
    while total < count {
      let got = read(into: destination + total, count: count - total, pastBufferFrom: least)
      if got < 0 { return got }
      if got == 0 { break }
      total += got
    }
    return total
  }

  /// Bytes of the file from an offset on, fewer where it ends. Moves to behind them.
  ///
  /// - Throws: `read` where the host refuses.
  public func bytes(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard seek(to: offset) else { throw .read(at: offset) }
    let got = bytes.withUnsafeMutableBytes { readFully(into: $0.baseAddress!, count: count) }
    guard got >= 0 else { throw .read(at: offset) }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Moves to `offset` bytes from the start; false if that is before it. The host learns of it with the next
  /// read.
  public func seek(to offset: Int64) -> Bool {
    guard offset >= 0 else { return false }
    position = offset
    return true
  }

  /// Moves to `offset` bytes from the start and lets the host know at once: after a failure, it may have another decoder begin there. Call
  /// it before `decode` fails with `corrupt` where the place of the next frame is known.
  ///
  /// - Returns: False if the host refuses.
  public func settle(at offset: Int64) -> Bool {
    guard seek(to: offset) else { return false }
    guard io.seek(io.context, offset) == 0 else {
      hasFailed = true
      return false
    }
    hostPosition = offset
    return true
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
    return !overflow && seek(to: target) ? target : -1
  }

  /// The input that a C library's callback carries as its context.
  public static func from(_ context: UnsafeMutableRawPointer) -> MediaInput {
    Unmanaged<MediaInput>.fromOpaque(context).takeUnretainedValue()
  }

  /// This input as a C library's context; the decoder keeps the reference that holds it alive.
  public var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}
