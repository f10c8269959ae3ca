// Whether a session may speak: an optional PIN, slower after each wrong try. Pure; control thread.

/// The lock of a console. It belongs to the line, not to the session, so that hanging up does not shorten the wait.
package struct PINGate: Hashable, Sendable {
  /// The wait after a wrong PIN in seconds: 1, 2, 4 … up to this. The first two wrong tries are free.
  package static let maxWait = 300.0

  /// What became of a try.
  package enum Outcome: Hashable, Sendable {
    case open
    /// Wrong; the next try counts only after so many seconds.
    case wrong(wait: Double)
    /// Not looked at: it is so many seconds too early. Does not make the wait longer.
    case tooEarly(wait: Double)

    /// The reply to send.
    package var reply: Reply {
      switch self {
      case .open: .ok("unlocked")
      case .wrong(let wait):
        .error(
          ConsoleError(.notAllowed, "wrong PIN" + (wait > 0 ? "; wait " + Self.seconds(wait) : "; try again"))
        )
      case .tooEarly(let wait):
        .error(ConsoleError(.notAllowed, "too many wrong PINs; wait " + Self.seconds(wait)))
      }
    }

    private static func seconds(_ wait: Double) -> String {
      let whole = Int(wait.rounded(.up))
      return String(whole) + (whole == 1 ? " second" : " seconds")
    }
  }

  /// Whether commands are taken.
  package private(set) var isOpen: Bool
  private var pin: String?
  private var failures = 0
  /// No try counts before; seconds of the same clock as `now`.
  private var earliest = -Double.infinity

  /// A gate; open if there is no PIN.
  package init(pin: String?) {
    self.pin = pin
    isOpen = pin == nil
  }

  /// A try at `now`, in seconds of a clock that never goes back (CLOCK_MONOTONIC or BOOTTIME).
  package mutating func enter(_ text: String, now: Double) -> Outcome {
    guard let pin else { return .open }
    guard now >= earliest else { return .tooEarly(wait: earliest - now) }
    guard Self.isSame(text, pin) else {
      failures = min(failures + 1, 20)
      let wait = failures < 3 ? 0 : min(Double(1 << (failures - 3)), Self.maxWait)
      earliest = now + wait
      isOpen = false
      return .wrong(wait: wait)
    }
    failures = 0
    isOpen = true
    return .open
  }

  /// Locks again: the line hung up, or nobody typed for long. Waits go on.
  package mutating func lock() { isOpen = pin == nil }

  /// Takes another PIN, or none: it locks at once, also for whoever has set it. Waits go on.
  package mutating func change(to pin: String?) {
    guard pin != self.pin else { return }
    self.pin = pin
    lock()
  }

  /// Whether there is a PIN, and it was entered.
  package var isUnlocked: Bool { isOpen && pin != nil }

  /// Whether a command may be carried out; if not, the reply to send.
  package func refusal(of command: Command) -> Reply? {
    if isOpen { return nil }
    switch command {
    case .pin, .help, .exit, .format: return nil
    default: return .error(ConsoleError(.notAllowed, "locked; enter the PIN with: pin CODE"))
    }
  }

  /// Compares in a time that depends on the typed text's length only.
  private static func isSame(_ typed: String, _ pin: String) -> Bool {
    let wanted = Array(pin.utf8)
    var difference = wanted.count ^ typed.utf8.count
    for (i, byte) in typed.utf8.enumerated() { difference |= Int(byte ^ wanted[i % wanted.count]) }
    return difference == 0
  }
}
