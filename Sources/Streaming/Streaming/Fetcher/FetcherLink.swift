// What a fetcher has to do with its engine and its worker: messages of both, and the spool between. Fetcher process, one thread.

import CLinux
import Platform

/// The fetcher's sockets and its spool.
final class FetcherLink {
  /// Bytes that plugins deliver at once, at most.
  static let chunk = 32 << 10

  private let engine: MessageSocket
  private let worker: MessageSocket
  var spool: SpoolWriter
  private var reader = ReadRequests()
  /// Whether all is there that will ever come, or nothing more will.
  var isOver = false
  private var buffer = [UInt8](repeating: 0, count: 64)
  private var isHurried = false

  /// Whether the engine wants a lost connection to be made again at once. Once.
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

  /// What a transfer returns for.
  var descriptors: [Int32] { [engine.raw, worker.raw] }

  /// Bytes that can come. A quarter of the window stays behind what was read, so that short ways back cost no request.
  var room: Int { spool.room(keeping: reader.position - Int64(spool.capacity / 4)) }

  /// Takes what the worker says, and hands it on. False when the engine is gone.
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
      // The worker's end is the engine's, too: both are gone.
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

  /// Wakes the worker where it has what it waits for.
  func wakeReader() {
    if reader.isAnswered(from: spool.start, to: spool.end, isOver: isOver) { worker.send(SpoolMessage.wake) }
  }

  /// Wakes the worker, whatever it waits for.
  func wakeAnyway() {
    reader.forget()
    worker.send(SpoolMessage.wake)
  }

  func publish(_ phase: SpoolPhase) {
    spool.header.phase = phase
    wakeAnyway()
  }

  func fail(_ failure: FetchFailure) {
    // Before the worker can fail for want of bytes: the engine has heard why by then.
    send(.failed(failure))
    publish(.failed)
  }

  /// Waits only for an engine that does not listen; what matters must not be lost.
  func send(_ message: FetcherMessage) {
    switch message {
    case .opened, .failed: engine.send(message.bytes, waiting: true)
    case .title, .interrupted, .resumed, .rejoined: engine.send(message.bytes)
    }
  }

  /// Waits for a message, or for the time to be over (-1: for ever).
  func wait(_ milliseconds: Int32) {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    _ = poll(&entries, 2, milliseconds)
  }

  static func milliseconds(from now: UInt64, to then: UInt64) -> Int32 {
    then <= now ? 0 : Int32(clamping: (then - now) / 1_000_000 + 1)
  }
}
