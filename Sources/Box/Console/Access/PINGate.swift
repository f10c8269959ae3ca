// PIN lock of a console session, with a wait that grows with each wrong attempt. Pure; control thread.

import Platform

/// The PIN lock of one console line. It outlives sessions, so that reconnecting does not shorten the wait.
package struct PINGate: Hashable, Sendable {
  /// The longest wait after a wrong PIN, in seconds. The first two failures cost no wait, then 1, 2, 4 …
  /// seconds.
  package static let maxWait = 300.0

  /// The result of one PIN attempt.
  package enum Outcome: Hashable, Sendable {
    case open
    /// Wrong PIN. The next attempt is only checked after `wait` seconds.
    case wrong(wait: Double)
    /// Rejected without a check, `wait` seconds too early. Does not extend the wait.
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

  /// Whether commands are accepted.
  package private(set) var isOpen: Bool
  private var pin: String?
  private var failures = 0
  /// Attempts before this time are rejected; in seconds of the clock that `now` is read from.
  private var earliest = -Double.infinity

  /// Creates a gate, which is open if `pin` is nil.
  package init(pin: String?) {
    self.pin = pin
    isOpen = pin == nil
  }

  /// Checks a PIN.
  ///
  /// - Parameters:
  ///   - text: The PIN that was typed.
  ///   - now: The current time in seconds of a monotonic clock (CLOCK_MONOTONIC or CLOCK_BOOTTIME).
  package mutating func enter(_ text: String, now: Double) -> Outcome {
    guard let pin else { return .open }
    guard now >= earliest else { return .tooEarly(wait: earliest - now) }
    guard SecretText.matches(text, pin) else {
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

  /// Locks the gate after a hang-up or an idle timeout. A wait after wrong PINs keeps running.
  package mutating func lock() { isOpen = pin == nil }

  /// Replaces or removes the PIN. A new PIN locks every session at once, including the current session; a
  /// wait after wrong PINs keeps running.
  package mutating func change(to pin: String?) {
    guard pin != self.pin else { return }
    self.pin = pin
    lock()
  }

  /// Whether a PIN is set and was entered.
  package var isUnlocked: Bool { isOpen && pin != nil }

  /// Checks whether a command is allowed now.
  ///
  /// - Returns: The error reply to send, or nil if the command may run.
  package func refusal(of command: Command) -> Reply? {
    if isOpen { return nil }
    if command.properties.uses.contains(.locked) { return nil }
    return .error(ConsoleError(.notAllowed, "locked; enter the PIN with: pin CODE"))
  }
}
