// What a session waits for: silence, and that whoever waits for an answer goes, which has to be looked for because nothing is read
// meanwhile. Control thread; wakes the box only while somebody waits.

import Platform

/// Times a session, and gives up what somebody has asked for who has gone.
final class SessionTimers {
  /// Nanoseconds between two looks.
  private static let pause: UInt64 = 250_000_000

  /// Runs while a PIN keeps the session open, or a session on the socket is owed nothing.
  let idle: DeadlineTimer
  private let channel: any ByteChannel
  private let hangUp: DeadlineTimer
  private var cancellation = Cancellation()

  /// Timers for a channel; none runs.
  init(_ channel: any ByteChannel, _ scheduler: any Scheduler) {
    self.channel = channel
    idle = DeadlineTimer(scheduler)
    hangUp = DeadlineTimer(scheduler)
  }

  /// Watches until the answer is there: what comes back is set when nobody waits for it any more.
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

  /// The answer is there.
  func end() { hangUp.stop() }

  /// The session is over: there is nobody to answer.
  func cancel() {
    idle.stop()
    hangUp.stop()
    cancellation.cancel()
  }
}
