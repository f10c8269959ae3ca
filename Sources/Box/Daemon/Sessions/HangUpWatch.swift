// Detects a client that hangs up while its command is pending, since the session reads nothing then. Control thread;
// polls only while a command is pending.

import Platform

/// Polls a channel for a hang-up.
final class HangUpWatch {
  /// Nanoseconds between checks.
  private static let pause: UInt64 = 250_000_000

  private let channel: any ByteChannel
  private let timer: DeadlineTimer
  private var cancellation = Cancellation()

  /// Creates a watch for a channel; it is not polling.
  init(_ channel: any ByteChannel, _ scheduler: any Scheduler) {
    self.channel = channel
    timer = DeadlineTimer(scheduler)
  }

  /// Starts polling while a command is pending.
  ///
  /// - Returns: A token that is cancelled when the client hangs up.
  func begin() -> Cancellation {
    cancellation = Cancellation()
    lookLater()
    return cancellation
  }

  private func lookLater() {
    timer.start(after: Self.pause) { [unowned(unsafe) self] in
      if channel.isHungUp { cancellation.cancel() } else { lookLater() }
    }
  }

  /// Stops polling, when the reply has been sent.
  func end() { timer.stop() }

  /// Stops polling and cancels the pending command, at the end of the session.
  func cancel() {
    timer.stop()
    cancellation.cancel()
  }
}
