// Stand-in for a worker process, with a socket that closes when it dies. One thread.

import Decoding
import Platform

/// Worker process that exists only in the trial.
final class FakeProcess: WorkerProcess {
  private let clock: TrialClock
  private let ended: WakeUp
  private var line: Line?
  private var ending: ChildProcess.Ending?
  private var diedAt: UInt64 = 0

  /// Holds the socket so that it can be closed.
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

  // MARK: Worker's side

  var isDead: Bool { ending != nil }

  /// Whether it can still write to shared memory: a killed process on another processor runs on for a moment.
  var canScribble: Bool { !isDead || clock.now < diedAt + 2_000_000 }

  /// Ends the process; its socket closes.
  func die(_ cause: ChildProcess.Ending.Cause) {
    guard !isDead else { return }
    ending = ChildProcess.Ending(cause, peakKiB: 1 << 20)
    diedAt = clock.now
    line = nil
    ended.signal()
  }

  /// Closes the socket while the process lives on.
  func hangUp() { line = nil }

  /// Sends a packet, if the engine's queue has room.
  func send(_ bytes: [UInt8]) { line?.socket.send(bytes) }

  /// Receives a message of the engine.
  /// - Returns: Its length in bytes; nil if there is none.
  func receive(into buffer: inout [UInt8]) -> Int? {
    guard let line, case .message(let count) = line.socket.receive(into: &buffer) else { return nil }
    return count
  }
}
