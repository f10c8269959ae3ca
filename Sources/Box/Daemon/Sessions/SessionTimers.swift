// Timers of a session: idle timeout, and polling for a hang-up while a command is pending, since nothing is read then.
// Control thread; runs only while needed.

import Platform

/// Idle timeout and hang-up detection of one session.
final class SessionTimers {
  /// Nanoseconds between checks for a hang-up.
  private static let pause: UInt64 = 250_000_000

  /// Idle timeout of an unlocked console, or of a socket session without a pending reply.
  let idle: DeadlineTimer
  private let channel: any ByteChannel
  private let hangUp: DeadlineTimer
  private var cancellation = Cancellation()

  /// Creates timers for a channel; none is running.
  init(_ channel: any ByteChannel, _ scheduler: any Scheduler) {
    self.channel = channel
    idle = DeadlineTimer(scheduler)
    hangUp = DeadlineTimer(scheduler)
  }

  /// Starts polling for a hang-up while a command is pending.
  ///
  /// - Returns: A token that is cancelled when the client hangs up.
  func begin() -> Cancellation {
    cancellation = Cancellation()
    lookLater()
    return cancellation
  }

  private func lookLater() {
    hangUp.start(after: Self.pause) { [unowned(unsafe) self] in
      if channel.isHungUp { cancellation.cancel() } else { lookLater() }
    }
  }

  /// Stops polling, when the reply has been sent.
  func end() { hangUp.stop() }

  /// Stops all timers and cancels the pending command, at the end of the session.
  func cancel() {
    idle.stop()
    hangUp.stop()
    cancellation.cancel()
  }
}
