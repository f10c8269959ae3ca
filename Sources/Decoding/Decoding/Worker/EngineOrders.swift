// Requests from the engine, received between two blocks of audio and while waiting for a stream's bytes.
// Worker process, one thread.

import Platform

/// Receives the engine's messages. A later seek replaces an earlier one.
final class EngineOrders {
  /// A seek request.
  struct Seek {
    let generation: UInt32
    let position: Int64
    let index: UInt64
  }

  /// The latest seek that has not been carried out.
  private(set) var seek: Seek?
  /// Whether the engine has closed the socket.
  private(set) var isClosed = false
  private(set) var wantsRefill = false
  private var isAwaited = false
  /// Frames decoded since the last `receive`.
  private var made = 0
  private var marks: [UInt64] = []
  private let socket: MessageSocket
  private var buffer = [UInt8](repeating: 0, count: 64)

  /// Shares a descriptor with the caller. The object must live until the process exits, because its `deinit`
  /// closes the socket.
  init(socket: Int32) { self.socket = MessageSocket(FileDescriptor(owning: socket)) }

  /// Whether to stop waiting for a stream's bytes.
  var isUrgent: Bool { seek != nil || isClosed }

  /// Whether enough frames were decoded to call `receive` again, which costs as much as decoding some hundred
  /// frames.
  var isLookDue: Bool { made == 0 || made >= 4096 }

  /// Counts decoded frames.
  func note(made count: Int) { made += count }

  /// Receives all queued messages.
  func receive() {
    made = 0
    while !isClosed {
      switch socket.receive(into: &buffer) {
      case .closed: isClosed = true
      case .nothing: return
      case .tooLong: continue
      case .message(let count):
        switch EngineMessage(buffer[..<count]) {
        case .seek(let generation, let position, let index)?:
          seek = Seek(generation: generation, position: max(0, position), index: index)
          // The engine repeats the marks that are still valid after a seek.
          marks = []
        case .refill?: wantsRefill = true
        case .mark(let offset)?:
          if marks.count == StreamMarks.limit { marks.removeFirst() }
          marks.append(offset)
        case .wake?: isAwaited = true
        case .dismiss?, nil: break
        }
      }
    }
  }

  /// Dequeues the pending seek.
  func takeSeek() -> Seek? {
    defer { seek = nil }
    return seek
  }

  /// Dequeues the byte offsets of requested marks.
  func takeMarks() -> [UInt64] {
    defer { marks = [] }
    return marks
  }

  /// Whether the ring has run empty since the last call.
  func takeRefill() -> Bool {
    defer { wantsRefill = false }
    return wantsRefill
  }

  /// Whether the ring is being read again, or its reader waits for frames, since the last call.
  func takeWake() -> Bool {
    defer { isAwaited = false }
    return isAwaited
  }
}
