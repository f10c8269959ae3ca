// The fetcher's connections to the engine and the worker: their sockets and the spool. Fetcher process, one
// thread.

import CLinux
import Platform

/// The fetcher's sockets and its spool.
final class FetcherLink {
  /// Maximum number of bytes that a plugin delivers at once.
  static let chunk = 32 << 10

  private let engine: MessageSocket
  private let worker: MessageSocket
  var spool: SpoolWriter
  private var reader = ReadRequests()
  /// Whether the stream is complete or has failed.
  var isOver = false
  private var buffer = [UInt8](repeating: 0, count: 64)
  private var isHurried = false

  /// Whether the engine has requested an immediate reconnect. Resets the request.
  func takeHurry() -> Bool {
    defer { isHurried = false }
    return isHurried
  }

  init(
    _ spool: consuming SpoolWriter, engine: consuming MessageSocket, worker: consuming MessageSocket
  ) {
    self.spool = spool
    self.engine = engine
    self.worker = worker
  }

  /// Descriptors for which a transfer returns from waiting.
  var descriptors: [Int32] { [engine.raw, worker.raw] }

  /// Free space in the spool in bytes. A quarter of the window is kept behind the read position for short
  /// seeks backwards.
  var room: Int { spool.room(keeping: reader.position - Int64(spool.capacity / 4)) }

  /// Receives the worker's messages and passes them to `use`. Returns false if the engine has closed its
  /// socket.
  func takeMessages(_ use: (SpoolMessage) -> Void) -> Bool {
    while true {
      switch worker.receive(into: &buffer) {
      case .message(let count):
        guard let message = SpoolMessage(buffer[..<count]) else { continue }
        reader.take(message)
        use(message)
        wakeReader()
      case .tooLong: continue
      case .nothing: return takeEngine()
      // The engine holds a copy of the worker's end, so both are gone.
      case .closed: return false
      }
    }
  }

  private func takeEngine() -> Bool {
    while true {
      switch engine.receive(into: &buffer) {
      case .closed: return false
      case .nothing: return true
      case .message: isHurried = true
      case .tooLong: continue
      }
    }
  }

  /// Wakes the worker if its request is fulfilled.
  func wakeReader() {
    if reader.isAnswered(from: spool.start, to: spool.end, isOver: isOver) { worker.send(SpoolMessage.wake) }
  }

  /// Wakes the worker unconditionally.
  func wakeAnyway() {
    reader.forget()
    worker.send(SpoolMessage.wake)
  }

  func publish(_ phase: SpoolPhase) {
    spool.header.phase = phase
    wakeAnyway()
  }

  func fail(_ failure: FetchFailure) {
    // Sent before the worker can fail for lack of bytes, so that the engine has the cause first.
    send(.failed(failure))
    publish(.failed)
  }

  /// Sends a message. Essential messages block while the engine's queue is full; others are dropped.
  func send(_ message: FetcherMessage) {
    switch message {
    case .opened, .failed: engine.send(message.bytes, waiting: true)
    case .title, .interrupted, .resumed, .rejoined: engine.send(message.bytes)
    }
  }

  /// Waits for a message or a timeout; -1 waits without limit.
  func wait(_ milliseconds: Int32) {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&entries, 2, milliseconds)
  }

  static func milliseconds(from now: UInt64, to then: UInt64) -> Int32 {
    then <= now ? 0 : Int32(clamping: (then - now) / 1_000_000 + 1)
  }
}
