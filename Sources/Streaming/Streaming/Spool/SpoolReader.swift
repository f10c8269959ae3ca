// The reading end of a spool: presents a stream's bytes like a file. Worker process, one thread; blocks until
// the fetcher delivers. Values from the fetcher are untrusted.

import CLinux
import Platform
import Synchronization

/// Reads a stream from its spool.
package final class SpoolReader {
  /// The result of a read.
  package enum Outcome {
    /// The number of bytes read; 0 at the end.
    case bytes(Int)
    /// The stream has failed.
    case failed
    /// The bytes were evicted from the window and cannot be requested again.
    case left
    /// The wait was interrupted by `distraction`.
    case abandoned
  }

  /// The bytes that were read last.
  package private(set) var latest: Range<UInt64> = 0..<0
  /// Called before the first wait since `noteProgress`.
  package var onWait: () -> Void = {}
  /// Called by `noteProgress` after a wait.
  package var onProgress: () -> Void = {}
  /// A descriptor to poll while waiting for bytes, and a function to call when it is readable. The function
  /// returns true to interrupt the wait.
  package var distraction: (descriptor: Int32, heed: () -> Bool)?
  private let spool: Int32
  private let socket: MessageSocket
  private let memory: SharedMemory
  private let header: SpoolHeader
  private let layout: SpoolLayout
  private var isWaiting = false
  /// The offset that was last requested from the fetcher, and the last read position that was reported to it.
  private var wanted: Int64 = -1
  private var noted: Int64 = 0
  private var buffer = [UInt8](repeating: 0, count: 64)

  /// Maximum number of bytes to wait for at once. Fewer than requested keep latency low, more than one keep
  /// wake-ups rare.
  private static let gathered = 4096

  /// Opens a spool.
  ///
  /// - Parameters:
  ///   - spool: Descriptor of the spool; stays open for the life of the process.
  ///   - capacity: Size of the window in bytes.
  ///   - socket: The worker's end of the socket to the fetcher.
  package init(spool: Int32, capacity: Int, socket: consuming MessageSocket) throws(SystemError) {
    layout = SpoolLayout(capacity: capacity)
    let file = FileDescriptor(owning: spool)
    memory = try SharedMemory(mapping: file, size: SpoolLayout.headerBytes)
    self.spool = file.release()
    self.socket = socket
    header = SpoolHeader(base: memory.base)
  }

  /// Length of the stream in bytes; -1 if unknown or invalid. Blocks until the source has responded.
  ///
  /// Also -1 for a stream that is neither seekable nor fits into the window, because a seek to its end would
  /// lose its beginning.
  package var length: Int64 {
    while header.phase == .connecting, wait() != .alone {}
    let length = header.length
    let longest = header.isSeekable ? SpoolLayout.maxLength : Int64(layout.capacity)
    return (0...longest).contains(length) ? length : SpoolLayout.unknown
  }

  /// Whether any byte can be requested. Valid after `length`.
  package var isSeekable: Bool { header.isSeekable }

  /// Whether the stream is live. Valid after `length`.
  package var isLive: Bool { header.kind.contains(.live) }

  /// Whether the stream is a playlist of addresses. Valid after `length`.
  package var isList: Bool { header.kind.contains(.list) }

  /// Reads bytes at an offset. Blocks until at least one is available.
  ///
  /// - Parameters:
  ///   - bytes: Receives the bytes.
  ///   - size: Maximum number of bytes.
  ///   - offset: Offset in the stream.
  package func read(_ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64) -> Outcome {
    guard size > 0, offset >= 0, offset < SpoolLayout.maxLength else { return .bytes(0) }
    let length = length
    while true {
      let phase = header.phase
      let end = header.end
      let start = header.start
      if length >= 0, offset >= length { return .bytes(0) }
      if start >= 0, offset >= start, offset < end, end <= SpoolLayout.maxLength,
        end - start <= Int64(layout.capacity)
      {
        if let count = copy(bytes, size, at: offset, until: end) { return .bytes(count) }
        continue
      }
      if phase == .complete, offset >= end { return .bytes(0) }
      if phase == .failed { return .failed }
      if phase == .open, offset < start, !header.isSeekable { return .left }
      ask(for: offset, size)
      switch wait() {
      case .over: break
      case .abandoned: return .abandoned
      case .alone: return .failed
      }
    }
  }

  /// Reports that the bytes read were decoded, which ends the present wait.
  package func noteProgress() {
    guard isWaiting else { return }
    isWaiting = false
    onProgress()
  }

  /// Copies bytes from the window. Nil if they were overwritten during the copy or cannot be read.
  private func copy(_ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64, until end: Int64) -> Int?
  {
    let place = Int(offset & Int64(layout.capacity - 1))
    let count = min(size, Int(end - offset), layout.capacity - place)
    let got = pread(spool, bytes, count, off_t(SpoolLayout.headerBytes + place))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard got == count, header.start <= offset else { return nil }
    wanted = -1
    latest = UInt64(offset)..<(UInt64(offset) + UInt64(count))
    // Reports the position often enough for the fetcher to free space, but rarely, to save wake-ups.
    if abs(offset + Int64(count) - noted) >= Int64(layout.capacity / 8) {
      noted = offset + Int64(count)
      socket.send(SpoolMessage.read(upTo: noted).bytes)
    }
    return count
  }

  private func ask(for offset: Int64, _ size: Int) {
    guard wanted != offset else { return }
    wanted = offset
    noted = offset
    socket.send(SpoolMessage.want(offset, count: UInt32(min(size, Self.gathered))).bytes, waiting: true)
  }

  private enum Wait { case over, abandoned, alone }

  /// Blocks until a message of the fetcher, or until `distraction` interrupts.
  private func wait() -> Wait {
    if !isWaiting {
      isWaiting = true
      onWait()
    }
    if let distraction {
      var entries = [
        pollfd(fd: socket.raw, events: Int16(POLLIN), revents: 0),
        pollfd(fd: distraction.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      _ = poll(&entries, 2, -1)
      if entries[1].revents != 0, distraction.heed() {
        wanted = -1
        return .abandoned
      }
      guard entries[0].revents != 0 else { return .over }
    } else {
      _ = socket.wait(milliseconds: -1)
    }
    // The request was answered, or its answer may be lost; it is sent again.
    wanted = -1
    switch socket.receive(into: &buffer) {
    case .closed: return .alone
    case .message, .nothing, .tooLong: return .over
    }
  }
}

// MARK: Window of a station

extension SpoolReader {
  /// Size of the window in bytes.
  package var capacity: Int { layout.capacity }

  /// The range of buffered bytes, sanitised; meaningful for a live stream.
  package var window: Range<Int64> {
    let end = min(max(0, header.end), SpoolLayout.maxLength)
    let start = min(max(0, header.start, end - Int64(layout.capacity)), end)
    return start..<end
  }

  /// Number of bytes at the window's beginning that the fetcher may evict before it learns of a seek
  /// backwards.
  package var margin: Int64 { Int64(layout.capacity / 16) }

  /// The offset of the first known reconnect at or after a byte; nil if there is none.
  package func seam(from offset: Int64) -> Int64? {
    var first: Int64?
    for slot in 0..<SpoolLayout.seamCount {
      let seam = header.seam(slot)
      if seam > 0, seam >= offset, seam < first ?? SpoolLayout.maxLength { first = seam }
    }
    return first
  }

  /// Reports a new read position to the fetcher.
  package func go(to offset: Int64) {
    noted = offset
    wanted = -1
    latest = UInt64(max(0, offset))..<UInt64(max(0, offset))
    socket.send(SpoolMessage.read(upTo: offset).bytes)
  }

  /// When the stream began to lag behind live, because of backpressure or a lost connection, and the end of
  /// its bytes then. Nil while it is live, and for invalid values.
  package var lag: (since: UInt64, end: Int64)? {
    guard let lag = header.lag, (0...SpoolLayout.maxLength).contains(lag.end) else { return nil }
    return lag
  }

  /// Requests a reconnect to get the live position, and blocks until it has happened.
  ///
  /// - Returns: The offset of the first new byte; nil on failure or if `distraction` interrupts.
  package func renew() -> Int64? {
    let end = window.upperBound
    go(to: end)
    socket.send(SpoolMessage.renew.bytes, waiting: true)
    while true {
      if let seam = seam(from: end) { return seam }
      guard header.phase == .open, wait() == .over else { return nil }
    }
  }
}
