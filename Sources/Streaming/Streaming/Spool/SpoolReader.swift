// The reading end of a spool: a stream's bytes as those of a file. Worker process, one thread; waits for the fetcher, and believes it
// nothing but its bytes.

import CLinux
import Platform
import Synchronization

/// Reads a stream from its spool.
package final class SpoolReader {
  /// What a read comes to.
  package enum Outcome {
    /// So many bytes; 0 at the end.
    case bytes(Int)
    /// The stream has failed.
    case failed
    /// The bytes have left the window, and the source gives no byte twice.
    case left
    /// Something else is more urgent than what is waited for.
    case abandoned
  }

  /// The bytes that were read last.
  package private(set) var latest: Range<UInt64> = 0..<0
  /// Called before the first wait since `noteProgress`.
  package var onWait: () -> Void = {}
  /// Called by `noteProgress` after a wait.
  package var onProgress: () -> Void = {}
  /// What is looked at while bytes are waited for: a descriptor, and what to do once it is readable. True where the wait is not worth
  /// while any more.
  package var distraction: (descriptor: Int32, heed: () -> Bool)?
  private let spool: Int32
  private let socket: MessageSocket
  private let memory: SharedMemory
  private let header: SpoolHeader
  private let layout: SpoolLayout
  private var isWaiting = false
  /// What the fetcher was last asked for, and up to where it knows that this end has read.
  private var wanted: Int64 = -1
  private var noted: Int64 = 0
  private var buffer = [UInt8](repeating: 0, count: 64)

  /// Bytes that are waited for at once, where so many were asked for: fewer wake-ups for the same sound.
  private static let gathered = 4096

  /// Maps the header of the spool behind a descriptor, which stays open as long as the process lives.
  ///
  /// - Parameter capacity: Bytes of the window.
  package init(spool: Int32, capacity: Int, socket: consuming MessageSocket) throws(SystemError) {
    layout = SpoolLayout(capacity: capacity)
    let file = FileDescriptor(owning: spool)
    memory = try SharedMemory(mapping: file, size: SpoolLayout.headerBytes)
    self.spool = file.release()
    self.socket = socket
    header = SpoolHeader(base: memory.base)
  }

  /// Bytes of the whole; -1 where the source does not say, says what cannot be, or gives no byte twice and more than the window holds: who
  /// went to its end would lose its beginning. Waits until the source has answered.
  package var length: Int64 {
    while header.phase == .connecting, wait() != .alone {}
    let length = header.length
    let longest = header.isSeekable ? SpoolLayout.maxLength : Int64(layout.capacity)
    return (0...longest).contains(length) ? length : SpoolLayout.unknown
  }

  /// Whether the source says that it has no end and gives no byte twice. Known once `length` is.
  package var isLive: Bool { header.kind.contains(.live) }

  /// Whether the source says that it is a list of addresses. Known once `length` is.
  package var isList: Bool { header.kind.contains(.list) }

  /// Reads up to `size` bytes from an offset on; waits until there is one.
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

  /// Sound was made of what was read: the present wait is over.
  package func noteProgress() {
    guard isWaiting else { return }
    isWaiting = false
    onProgress()
  }

  /// Bytes that are there; nil where they were written over meanwhile, or cannot be read.
  private func copy(_ bytes: UnsafeMutableRawPointer, _ size: Int, at offset: Int64, until end: Int64) -> Int?
  {
    let place = Int(offset & Int64(layout.capacity - 1))
    let count = min(size, Int(end - offset), layout.capacity - place)
    let got = pread(spool, bytes, count, off_t(SpoolLayout.headerBytes + place))
    atomicMemoryFence(ordering: .sequentiallyConsistent)
    guard got == count, header.start <= offset else { return nil }
    wanted = -1
    latest = UInt64(offset)..<(UInt64(offset) + UInt64(count))
    // As often as gives the fetcher room in time, and no more.
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

  /// Waits for the fetcher.
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
    // What was asked for was answered, or never will be: it is asked for again.
    wanted = -1
    switch socket.receive(into: &buffer) {
    case .closed: return .alone
    case .message, .nothing, .tooLong: return .over
    }
  }
}

// MARK: A station's window

extension SpoolReader {
  /// Bytes of the window.
  package var capacity: Int { layout.capacity }

  /// The bytes that are there, as far as can be; those of a station that plays.
  package var window: Range<Int64> {
    let end = min(max(0, header.end), SpoolLayout.maxLength)
    let start = min(max(0, header.start, end - Int64(layout.capacity)), end)
    return start..<end
  }

  /// Bytes of the window that the fetcher may let go of before it hears of a reader that goes back.
  package var margin: Int64 { Int64(layout.capacity / 16) }

  /// The first byte behind one, or at it, at which the connection began anew; nil where none is known of.
  package func seam(from offset: Int64) -> Int64? {
    var first: Int64?
    for slot in 0..<SpoolLayout.seamCount {
      let seam = header.seam(slot)
      if seam > 0, seam >= offset, seam < first ?? SpoolLayout.maxLength { first = seam }
    }
    return first
  }

  /// Says where the reader is, which went elsewhere.
  package func go(to offset: Int64) {
    noted = offset
    wanted = -1
    latest = UInt64(max(0, offset))..<UInt64(max(0, offset))
    socket.send(SpoolMessage.read(upTo: offset).bytes)
  }

  /// Since when what comes is not the present, because the source had to wait or was lost, and where it ended then.
  /// Nil also where it says what cannot be.
  package var lag: (since: UInt64, end: Int64)? {
    guard let lag = header.lag, (0...SpoolLayout.maxLength).contains(lag.end) else { return nil }
    return lag
  }

  /// Has the source joined anew, and waits for it. Answers the byte that is its present's first; nil where it cannot be had, or something
  /// else is more urgent.
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
