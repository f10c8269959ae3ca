// What the engine asks of a worker, taken between two blocks and while a stream's bytes are waited for. Worker process, one thread.

import Platform

/// Messages from the engine, of which a seek is only the last one's.
final class EngineOrders {
  /// A seek that was not carried out yet.
  struct Seek {
    let generation: UInt32
    let position: Int64
    let index: UInt64
  }

  /// The last seek, until it is taken.
  private(set) var seek: Seek?
  /// Whether the engine is gone.
  private(set) var isClosed = false
  private(set) var wantsRefill = false
  private var isAwaited = false
  /// Frames made since the last look.
  private var made = 0
  private var marks: [UInt64] = []
  private let socket: MessageSocket
  private var buffer = [UInt8](repeating: 0, count: 64)

  /// Of the socket with that number, which stays somebody else's: the process ends with it.
  init(socket: Int32) { self.socket = MessageSocket(FileDescriptor(owning: socket)) }

  /// Whether something came that bytes of a stream are not waited for any longer.
  var isUrgent: Bool { seek != nil || isClosed }

  /// Whether enough was made since the last look for another: decoders make few frames at a time, and a look costs as much as some
  /// hundred.
  var isLookDue: Bool { made == 0 || made >= 4096 }

  /// So many frames were made.
  func note(made count: Int) { made += count }

  /// Takes what has come.
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
          // Those that are still of interest are asked again behind it.
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

  /// The seek that is to be carried out now.
  func takeSeek() -> Seek? {
    defer { seek = nil }
    return seek
  }

  /// Bytes that were asked about.
  func takeMarks() -> [UInt64] {
    defer { marks = [] }
    return marks
  }

  /// Whether the reader has run dry since the last look.
  func takeRefill() -> Bool {
    defer { wantsRefill = false }
    return wantsRefill
  }

  /// Whether the reader has said since the last look that it moves, or waits for more.
  func takeWake() -> Bool {
    defer { isAwaited = false }
    return isAwaited
  }
}
