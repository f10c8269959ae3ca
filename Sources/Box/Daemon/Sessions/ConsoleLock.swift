// Access control of one console connection: PIN lock, or the commands allowed for an integration. Control thread.

import Console

/// Permissions of one connection. A serial line keeps its lock across sessions, so that hanging up does not shorten a
/// PIN delay.
final class ConsoleLock {
  /// The PIN lock; open if no PIN is set.
  var gate: PINGate
  /// Integration whose process is connected; nil: a client that may give all commands.
  private let integration: IntegrationKind?
  /// Called at the first command that the integration may not give.
  private let onRefused: (IntegrationKind) -> Void
  private var hasRefused = false

  /// Creates a lock for a serial line.
  ///
  /// - Parameter pin: nil: no PIN.
  init(pin: String?) {
    gate = PINGate(pin: pin)
    integration = nil
    onRefused = { _ in }
  }

  /// Creates a lock for a socket connection.
  ///
  /// - Parameters:
  ///   - integration: The connected integration; nil: any other client.
  ///   - onRefused: Called at the first refused command.
  init(for integration: IntegrationKind?, onRefused: @escaping (IntegrationKind) -> Void) {
    gate = PINGate(pin: nil)
    self.integration = integration
    self.onRefused = onRefused
  }

  /// Checks a command.
  ///
  /// - Returns: The refusal; nil if the command is allowed.
  func refusal(of command: Command) -> Reply? {
    if let refusal = gate.refusal(of: command) { return refusal }
    guard let integration, !integration.mayGive(command) else { return nil }
    if !hasRefused { onRefused(integration) }
    hasRefused = true
    return .error(
      ConsoleError(
        .notAllowed,
        "this is not for \(integration.title), which plays and asks but does not set up the box; use the console"
      ))
  }

  /// Locks the PIN again at the end of a session.
  func close() { gate.lock() }
}
