// The password handling of an MPD client's connection, and its interface to the server. Single thread; never blocks.

import Platform

/// The server, as seen by a client. Class-bound for Embedded Swift.
protocol MPDClientOwner: AnyObject {
  func didEnd(_ client: MPDClient)
  /// Registers a password attempt. Returns the delay of its answer in nanoseconds.
  func waitForLogin(isRight: Bool) -> UInt64
  func tell(channel: String, _ text: String) -> Bool
  /// The number of changes per subsystem.
  var changeCounts: MPDChangeCounts { get }
  /// Reports those of `wanted` as changed that have not changed since `before`.
  func ensureTold(_ wanted: [MPDSubsystem], since before: MPDChangeCounts)
  var channels: [String] { get }
  /// Adjusts the total of unsent bytes of all clients. Returns false if it exceeds the limit.
  func account(_ change: Int) -> Bool
}

extension MPDClient {
  /// The properties that decide whether this client may be displaced.
  var seat: MPDSeats.Client {
    MPDSeats.Client(
      isOwner: session.access.password != nil && session.permission == .everything,
      hasSpoken: session.hasSpoken)
  }

  /// Answers a password, with a delay after wrong ones. Other clients are served in the meantime.
  func carryOutLogin(_ isRight: Bool) {
    let delay = owner.waitForLogin(isRight: isRight)
    guard delay > 0 else { return finishLogin(isRight) }
    work.isWaiting = true
    login.start(after: delay) { [unowned(unsafe) self] in
      work.isWaiting = false
      finishLogin(isRight)
      guard !isOver else { return }
      conclude()
    }
  }

  private func finishLogin(_ isRight: Bool) {
    guard !isRight else {
      session.permission = .everything
      return carryOut(.done)
    }
    session.wrongPasswords += 1
    refuse(MPDRefusal(.password, "incorrect password"))
    if session.wrongPasswords >= MPDSeats.maxWrongPasswords { end() }
  }
}
