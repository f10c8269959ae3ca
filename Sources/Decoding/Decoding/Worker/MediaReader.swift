// The I/O table that plugins read their file through: positioned reads on one descriptor, buffered so that
// small reads cost no system call. Worker only, one thread.

import AudioRing
import CLinux
import CodecPlugin
import Platform
import Streaming

/// What a worker reads.
enum MediaSource {
  case file(MediaFile)
  case stream(SpoolReader)

  /// Whether all its bytes can be had again.
  var isFile: Bool {
    if case .file = self { true } else { false }
  }

  /// Whether it is a station, which begins where it is now. Known once its length is.
  var isLive: Bool {
    if case .stream(let spool) = self { spool.isLive } else { false }
  }
}

/// A media file's bytes with a current offset, or a stream's.
final class MediaReader {
  /// What is read at once for plugins that ask for little.
  private static let bufferSize = 16_384
  /// Reads of this size and more go past the buffer: they are not worth a second copy.
  private static let minPastBuffer = 4096
  /// Bytes of a station at once: a second of the slowest.
  private static let stationRead = 4096

  private let source: MediaSource
  private let waits: StorageWaits?
  /// Bytes of the whole; -1 where a stream does not say. Waits for a stream's first answer.
  var length: Int64 {
    switch source {
    case .file(let file): file.length
    case .stream(let spool): spool.length
    }
  }
  /// In the source. What a plugin calls its first byte is the present link's.
  private var offset: Int64 = 0
  private var links = LinkedBytes()
  /// Whether a stream's bytes could not be read, or were not waited for: nothing is waited for again before the reader goes elsewhere.
  private(set) var hasFailed = false
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: bufferSize, alignment: 64)
  /// What the buffer holds: `bufferCount` bytes from `bufferStart` on.
  private var bufferStart: Int64 = 0
  private var bufferCount = 0

  /// Reads from an open file, and notes in `waits` when it waits for it; or from a stream, which notes that itself.
  init(_ source: MediaSource, waits: StorageWaits? = nil) {
    self.source = source
    self.waits = waits
  }

  deinit { buffer.deallocate() }

  /// The table for a plugin. This reader must outlive its use.
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
      })
  }

  /// The file's first bytes, or those of a chained stream's present link, at most `count`, or nil if they cannot be read.
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

  /// Whether it is a file, or a stream whose length is known, all bytes of which can be had again.
  var hasLength: Bool { length >= 0 }

  /// Begins a part of a file, or of a stream whose length is known, at a byte, as if the part were a file.
  ///
  /// - Parameter end: The byte behind the part; nil where that is not known, or the file's end.
  func enterPart(at byte: Int64, to end: Int64?) {
    links.enterPart(at: byte)
    offset = byte
    partEnd = end ?? .max
  }

  /// The byte behind the present part, as far as it is known.
  private var partEnd = Int64.max

  /// Whether it is a station.
  var isLive: Bool { source.isLive }

  /// Whether it is a stream that may begin anew, as stations in Ogg do with each track.
  var mayBeChained: Bool { links.mayBeChained }

  /// Whether the next link has come, so that the present one ends.
  var hasNextLink: Bool { links.next != nil }

  /// The byte of the source that the present link's sound begins with, headers that were read before excluded.
  var start: Int64 { links.body }

  /// Continues with the next link as with a file of its own; false where it has not come.
  func enterLink() -> Bool {
    guard case .stream(let spool) = source, !hasFailed, links.enter(in: spool) else { return false }
    offset = links.base
    bufferCount = 0
    return true
  }

  /// Begins a link at the byte that would be read next, because the decoder cannot follow the bytes before it. Returns false where too
  /// many bytes have come without sound.
  func resynchronize() -> Bool {
    guard !hasFailed, links.breakOff(at: offset) else { return false }
    return enterLink()
  }

  /// Whether no byte follows, or none can be read. Waits for one.
  var isAtEnd: Bool {
    var byte: UInt8 = 0
    let place = offset
    let count = read(&byte, 1)
    offset = place
    return count < 0 || count == 0 && links.next == nil
  }

  /// Notes that sound was decoded from what was read.
  func noteSound() { links.noteSound(at: offset) }

  /// The discontinuity that the present link begins behind.
  var discontinuity: Discontinuity? { links.discontinuity }

  /// Goes to a byte of a station's window, or near it, where a decoder can begin. Answers the byte; nil where there is none.
  func go(to target: Int64) -> Int64? {
    guard case .stream(let spool) = source else { return nil }
    return arrive(links.go(to: target, in: spool), in: spool)
  }

  /// Goes to a station's present, which is waited for. Answers its first byte; nil where it cannot be had.
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

  /// Goes back to the first byte: of the part of a file, or of a stream's first link.
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
    // A file gives the same bytes twice; of a stream the buffer may be all that there still is.
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
      // In small pieces: which byte became which frame is known to a piece. What it is, is known once its length is.
      let limit = spool.length < 0 && spool.isLive ? min(size, Self.stationRead) : size
      guard !hasFailed else { return -1 }
      let count = links.read(bytes, limit, at: offset, from: spool)
      hasFailed = count < 0
      return count
    }
  }
}
