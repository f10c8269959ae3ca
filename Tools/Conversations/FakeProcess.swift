// What the engine takes for a worker's process: it can die, and its socket with it. One thread.

import Decoding
import Platform

/// A process that is none.
final class FakeProcess: WorkerProcess {
  private let clock: TrialClock
  private let ended: WakeUp
  private var line: Line?
  private var ending: ChildProcess.Ending?
  private var diedAt: UInt64 = 0

  /// A socket that can be let go of.
  private final class Line {
    let socket: MessageSocket
    init(_ socket: consuming MessageSocket) { self.socket = socket }
  }

  init(_ clock: TrialClock, socket: consuming MessageSocket) throws(SystemError) {
    ended = try WakeUp()
    self.clock = clock
    line = Line(socket)
  }

  // MARK: WorkerProcess

  var pid: Int32 { 1 }
  var descriptor: Int32 { ended.descriptor }
  var processorTime: ProcessorTime? { nil }
  var waitsForStorage: Bool { false }
  func allowCPU(seconds: Int) {
    precondition(seconds > 0 && seconds <= 366 * 86_400, "what is allowed is a number of seconds")
  }
  func reap() -> ChildProcess.Ending? { ending }
  func kill() { die(.killed(signal: 9)) }

  // MARK: The worker's side

  var isDead: Bool { ending != nil }

  /// Whether it can still write to memory: one that was killed goes on for a moment, on another processor.
  var canScribble: Bool { !isDead || clock.now < diedAt + 2_000_000 }

  /// It ends; the kernel closes its socket.
  func die(_ cause: ChildProcess.Ending.Cause) {
    guard !isDead else { return }
    ending = ChildProcess.Ending(cause, peakKiB: 1 << 20)
    diedAt = clock.now
    line = nil
    ended.signal()
  }

  /// Closes its end, and lives on.
  func hangUp() { line = nil }

  /// Sends a packet, if the engine's queue has room for it.
  func send(_ bytes: [UInt8]) { line?.socket.send(bytes) }

  /// Takes a message of the engine; nil where none waits.
  func receive(into buffer: inout [UInt8]) -> Int? {
    guard let line, case .message(let count) = line.socket.receive(into: &buffer) else { return nil }
    return count
  }
}
