// What a client of MPD's protocol asks of the server, and how it gives its password. One thread; never waits.

import Platform

/// What a client asks of those around it. Class-bound, for Embedded Swift.
protocol MPDClientOwner: AnyObject {
  func didEnd(_ client: MPDClient)
  /// A password was given. Returns the nanoseconds until it is answered.
  func waitForLogin(isRight: Bool) -> UInt64
  func tell(channel: String, _ text: String) -> Bool
  /// How often each subsystem has changed.
  var changeCounts: MPDChangeCounts { get }
  /// Tells all clients of those that have not changed since then.
  func ensureTold(_ wanted: [MPDSubsystem], since before: MPDChangeCounts)
  var channels: [String] { get }
  /// Bytes that wait for all clients together have changed by so many; false if there are too many.
  func account(_ change: Int) -> Bool
}

extension MPDClient {
  /// What its place among the clients depends on.
  var seat: MPDSeats.Client {
    MPDSeats.Client(
      isOwner: session.access.password != nil && session.permission == .everything,
      hasSpoken: session.hasSpoken)
  }

  /// Answers a password, later where wrong ones were given: the process serves others meanwhile.
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
