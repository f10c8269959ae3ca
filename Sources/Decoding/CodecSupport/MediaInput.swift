// Buffered access to the media file through the host's I/O table. Worker process only; never opens a file.
// Passed unretained as the context of C callbacks.

import CodecPlugin
import MediaFormats

/// The media file as a codec reads it: the host's I/O table behind a 16 KiB buffer.
///
/// Merges the small reads and frequent seeks of codec libraries into few host calls. Remembers a failed read
/// in `hasFailed`, because codec libraries tend to report it as end of file.
///
/// ```swift
/// var header = [UInt8](repeating: 0, count: 24)
/// guard input.readFully(into: &header, count: 24) == 24 else {
///   throw input.hasFailed ? .read(at: 0) : CodecFailure(.corrupt, "The file ends within its header.")
/// }
/// ```
public final class MediaInput {
  private let io: swiftlet_io
  /// Whether a read or seek of the host has failed.
  public private(set) var hasFailed = false
  /// Length of the file in bytes; nil if it is unknown, as for a live stream.
  public let length: Int64?
  /// Cost of reads far from the current offset.
  public let farReads: FarReads
  /// Offset of the next read, in bytes.
  public private(set) var position: Int64
  /// The host's current offset, which lags behind `position` until the next read.
  private var hostPosition: Int64
  private let buffer: UnsafeMutableRawPointer
  private var bufferStart: Int64 = 0
  private var bufferCount = 0
  private static let bufferSize = 16384
  /// Minimum size in bytes of a `readFully` that bypasses the buffer once the buffered bytes are used up, to
  /// save a copy.
  private static let minWhole = 4096

  /// Copies the I/O table.
  ///
  /// - Parameter io: The host's table. Its `context` must outlive this object.
  public init(_ io: swiftlet_io) {
    self.io = io
    let bytes = io.length(io.context)
    length = bytes >= 0 ? bytes : nil
    farReads = FarReads(io)
    hostPosition = max(0, io.tell(io.context))
    position = hostPosition
    buffer = .allocate(byteCount: Self.bufferSize, alignment: 64)
  }

  deinit { buffer.deallocate() }

  /// Reads up to `count` bytes.
  ///
  /// - Returns: Bytes read, 0 at end of file, negative if the host failed.
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

  /// Reads `count` bytes, or fewer at end of file.
  ///
  /// - Returns: Bytes read, or negative if the host failed.
  public func readFully(into destination: UnsafeMutableRawPointer, count: Int) -> Int {
    // A large read also bypasses the buffer for its last, short part, so that the buffer is empty for the
    // next large read.
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

  /// Reads bytes at an offset and moves the position to the first byte after them.
  ///
  /// - Parameters:
  ///   - offset: Offset in the file, in bytes.
  ///   - count: Number of bytes.
  /// - Returns: The bytes; fewer than `count` at end of file.
  /// - Throws: `CodecFailure.read` if the host failed.
  public func bytes(at offset: Int64, count: Int) throws(CodecFailure) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard seek(to: offset) else { throw .read(at: offset) }
    let got = bytes.withUnsafeMutableBytes { readFully(into: $0.baseAddress!, count: count) }
    guard got >= 0 else { throw .read(at: offset) }
    bytes.removeLast(count - got)
    return bytes
  }

  /// Sets the position. The host seeks with the next read only.
  ///
  /// - Parameter offset: Bytes from the start of the file.
  /// - Returns: False if `offset` is negative.
  public func seek(to offset: Int64) -> Bool {
    guard offset >= 0 else { return false }
    position = offset
    return true
  }

  /// Sets the position and seeks the host at once.
  ///
  /// After `decode` fails with `corrupt`, the host opens a new decoder at its current offset. Call this
  /// before, if the offset of the next frame is known.
  ///
  /// - Parameter offset: Bytes from the start of the file.
  /// - Returns: False if the host failed.
  public func settle(at offset: Int64) -> Bool {
    guard seek(to: offset) else { return false }
    guard io.seek(io.context, offset) == 0 else {
      hasFailed = true
      return false
    }
    hostPosition = offset
    return true
  }

  /// Sets the position as lseek(2) does.
  ///
  /// - Parameters:
  ///   - offset: Bytes relative to `whence`.
  ///   - whence: 0 (start), 1 (current position) or 2 (end).
  /// - Returns: The new position, or -1.
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

  /// The input behind the context pointer of a C callback.
  public static func from(_ context: UnsafeMutableRawPointer) -> MediaInput {
    Unmanaged<MediaInput>.fromOpaque(context).takeUnretainedValue()
  }

  /// This input as the context pointer of C callbacks. Unretained: the decoder must hold a reference.
  public var context: UnsafeMutableRawPointer { Unmanaged.passUnretained(self).toOpaque() }
}

extension MediaInput: ByteSource {}

/// Cost of a read far from the current offset of a media file.
public enum FarReads: Sendable {
  /// That of any other read.
  case cheap
  /// A request to a server, and another one to return.
  case request
  /// A read waits until all bytes before it have arrived, and there may be no way back.
  case wait

  /// Asks the host.
  init(_ io: swiftlet_io) {
    // Without the function, the file is local.
    let answer = io.far_reads.map { $0(io.context) } ?? 0
    switch UInt32(bitPattern: answer) {
    case SWIFTLET_FAR_READS_REQUEST.rawValue: self = .request
    case SWIFTLET_FAR_READS_WAIT.rawValue: self = .wait
    default: self = .cheap
    }
  }
}
