// The I/O table through which plugins read: buffered, positioned reads of a file or stream. Worker process
// only, one thread.

import AudioRing
import CLinux
import CodecPlugin
import Platform
import Streaming

/// The source that a worker decodes.
enum MediaSource {
  case file(MediaFile)
  case stream(SpoolReader)

  /// Whether it is a file, so that any byte can be read again.
  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// Whether it is a live station. Blocks until the stream's length is known.
  var isLive: Bool {
    if case .stream(let spool) = self { spool.isLive } else { false }
  }
}

/// A file or stream with a read position. Plugins see one link or part of it as a whole file.
final class MediaReader {
  /// Bytes read into the buffer at once.
  private static let bufferSize = 16_384
  /// Minimum size in bytes of a read that bypasses the buffer, to save a copy.
  private static let minPastBuffer = 4096
  /// Maximum read in bytes from a station: about one second at the lowest bit rate.
  private static let stationRead = 4096

  private let source: MediaSource
  private let waits: StorageWaits?
  /// Length of the source in bytes; -1 if unknown. Blocks until a stream's server has responded.
  var length: Int64 {
    switch source {
    case .file(let file): file.length
    case .stream(let spool): spool.length
    }
  }
  /// Cost of far reads. Blocks until a stream's server has responded.
  private var farReads: swiftlet_far_reads {
    switch source {
    case .file: SWIFTLET_FAR_READS_CHEAP
    case .stream(let spool) where spool.length <= Self.smallStream: SWIFTLET_FAR_READS_CHEAP
    case .stream(let spool): spool.isSeekable ? SWIFTLET_FAR_READS_REQUEST : SWIFTLET_FAR_READS_WAIT
    }
  }
  /// Length in bytes up to which a stream arrives soon. The length of a live stream is negative.
  private static let smallStream: Int64 = 64 << 10
  /// Position in the source. A plugin's offset 0 is the start of the present link.
  private var offset: Int64 = 0
  private var links = LinkedBytes()
  /// Whether reading a stream has failed or was interrupted. No read blocks again until the reader moves
  /// elsewhere.
  private(set) var hasFailed = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
  /// The buffered range: `bufferCount` bytes from `bufferStart`.
  private var bufferStart: Int64 = 0
  private var bufferCount = 0

  /// Creates a reader.
  ///
  /// - Parameters:
  ///   - source: A file, or a stream, which reports its waits itself.
  ///   - waits: Reports that the worker waits for the file's storage.
  init(_ source: MediaSource, waits: StorageWaits? = nil) {
    self.source = source
    self.waits = waits
  }

  deinit { buffer.deallocate() }

  /// The I/O table for a plugin. The reader must outlive it.
  var table: swiftlet_io {
    swiftlet_io(
      context: Unmanaged.passUnretained(self).toOpaque(),
      read: { context, bytes, size in
        guard let bytes else { return -1 }
        return MediaReader.from(context).read(bytes, size)
      },
      seek: { context, offset in
        guard offset >= 0 else { return -1 }
        let reader = MediaReader.from(context)
        let (target, isTooMuch) = reader.links.base.addingReportingOverflow(offset)
        guard !isTooMuch else { return -1 }
        reader.offset = target
        return 0
      },
      tell: {
        let reader = MediaReader.from($0)
        return reader.offset - reader.links.base
      },
      length: {
        let reader = MediaReader.from($0)
        let length = reader.length
        return length < 0 ? length : max(0, min(length, reader.partEnd) - reader.links.base)
      },
      far_reads: { Int32(MediaReader.from($0).farReads.rawValue) })
  }

  /// Reads the first bytes of the file or of the present link.
  ///
  /// - Parameter count: Maximum number of bytes.
  /// - Returns: Nil if they cannot be read.
  func beginning(_ count: Int) -> [UInt8]? {
    offset = links.base
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let n = bytes.withUnsafeMutableBytes { read($0.baseAddress! + done, count - done) }
      if n < 0 { return nil }
      if n == 0 { break }
      done += Int(n)
    }
    offset = links.base
    return Array(bytes.prefix(done))
  }

  /// Whether the length is known, so that any byte can be read again.
  var hasLength: Bool { length >= 0 }

  /// Starts a part of a file, or of a stream of known length, which the plugin sees as a whole file.
  ///
  /// - Parameters:
  ///   - byte: Offset of its first byte.
  ///   - end: Offset of the first byte after it; nil if unknown or the end of the file.
  func enterPart(at byte: Int64, to end: Int64?) {
    links.enterPart(at: byte)
    offset = byte
    partEnd = end ?? .max
  }

  /// Offset of the first byte after the present part, if known.
  private var partEnd = Int64.max

  /// Whether the source is a live station.
  var isLive: Bool { source.isLive }

  /// Whether the stream may be chained, as Ogg stations are for each track.
  var mayBeChained: Bool { links.mayBeChained }

  /// Whether the next link has arrived, so that the present one ends.
  var hasNextLink: Bool { links.next != nil }

  /// Offset in the source of the present link's first byte, without headers inherited from an earlier link.
  var start: Int64 { links.body }

  /// Enters the next link, which the plugin sees as a new file. Returns false if it has not arrived.
  func enterLink() -> Bool {
    guard case .stream(let spool) = source, !hasFailed, links.enter(in: spool) else { return false }
    offset = links.base
    bufferCount = 0
    return true
  }

  /// Starts a link at the next byte to be read, after a decoding failure. Returns false if too many bytes
  /// yielded no audio.
  func resynchronize() -> Bool {
    guard !hasFailed, links.breakOff(at: offset) else { return false }
    return enterLink()
  }

  /// Whether there are no more bytes, or none can be read. Blocks until a byte arrives.
  var isAtEnd: Bool {
    var byte: UInt8 = 0
    let place = offset
    let count = read(&byte, 1)
    offset = place
    return count < 0 || count == 0 && links.next == nil
  }

  /// Records that the bytes read so far have been decoded.
  func noteSound() { links.noteSound(at: offset) }

  /// The discontinuity at the start of the present link, if any.
  var discontinuity: Discontinuity? { links.discontinuity }

  /// Moves to a byte of a station's window, or near it, where a decoder can start.
  ///
  /// - Returns: The offset found; nil if there is none.
  func go(to target: Int64) -> Int64? {
    guard case .stream(let spool) = source else { return nil }
    return arrive(links.go(to: target, in: spool), in: spool)
  }

  /// Reconnects a station to get its live position. Blocks.
  ///
  /// - Returns: Offset of the first byte; nil on failure.
  func renew() -> Int64? {
    guard case .stream(let spool) = source, let byte = spool.renew() else { return nil }
    return arrive(links.enter(byte, in: spool), in: spool)
  }

  private func arrive(_ byte: Int64?, in spool: SpoolReader) -> Int64? {
    guard let byte else { return nil }
    hasFailed = false
    offset = links.base
    bufferCount = 0
    spool.go(to: byte)
    return byte
  }

  /// Moves back to the first byte of the file's part or of the stream.
  func rewind() {
    guard !hasLength else { return offset = links.base }
    offset = 0
    guard links.base > 0 else { return }
    links.rewind()
    bufferCount = 0
  }

  private static func from(_ context: UnsafeMutableRawPointer?) -> MediaReader {
    Unmanaged<MediaReader>.fromOpaque(context!).takeUnretainedValue()
  }

  private func read(_ bytes: UnsafeMutableRawPointer, _ size: Int) -> Int64 {
    let size = min(size, Int(clamping: partEnd - offset))
    guard size > 0 else { return 0 }
    let isLarge = size >= Self.minPastBuffer
    let inBuffer = offset - bufferStart
    // A file can be read again; the buffered bytes of a stream may have left its window.
    if inBuffer >= 0, inBuffer < Int64(bufferCount), !(isLarge && source.isFile) {
      let count = min(size, bufferCount - Int(inBuffer))
      bytes.copyMemory(from: buffer.baseAddress! + Int(inBuffer), byteCount: count)
      offset += Int64(count)
      return Int64(count)
    }
    if isLarge {
      let n = readFile(bytes, min(size, 1 << 24))
      if n > 0 { offset += Int64(n) }
      return Int64(n)
    }
    let n = readFile(buffer.baseAddress!, Self.bufferSize)
    guard n > 0 else { return Int64(n) }
    (bufferStart, bufferCount) = (offset, n)
    return read(bytes, size)
  }

  private func readFile(_ bytes: UnsafeMutableRawPointer, _ size: Int) -> Int {
    switch source {
    case .file(let file):
      waits?.begin(at: MonotonicClock.now())
      let n = pread(file.descriptor, bytes, size, off_t(offset))
      waits?.end(at: MonotonicClock.now())
      return n
    case .stream(let spool):
      // Small pieces, because frames are mapped to bytes for each piece. `isLive` is valid once the length is
      // known.
      let limit = spool.length < 0 && spool.isLive ? min(size, Self.stationRead) : size
      guard !hasFailed else { return -1 }
      let count = links.read(bytes, limit, at: offset, from: spool)
      hasFailed = count < 0
      return count
    }
  }
}
