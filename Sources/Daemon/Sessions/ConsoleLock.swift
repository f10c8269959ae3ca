// Whether a line may give commands, for as long as the daemon runs. Control thread.

import Console

/// The PIN's lock of one line; it stays when sessions come and go, so that hanging up shortens no wait.
final class ConsoleLock {
  var gate: PINGate

  /// A lock; open where there is no PIN.
  init(pin: String?) { gate = PINGate(pin: pin) }

  /// The session is over.
  func close() { gate.lock() }
}
