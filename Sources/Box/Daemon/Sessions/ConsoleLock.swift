// What a line may ask for: all that a person may who has its PIN, or what an integration has to. Control thread.

import Console

/// The lock of one line; that of a serial line stays when sessions come and go, so that hanging up shortens no wait.
final class ConsoleLock {
  /// The PIN's; open where there is none.
  var gate: PINGate
  /// Whose process gives the commands; nil: somebody's who may give all.
  private let integration: IntegrationKind?
  /// Told of the first command that an integration has no right to.
  private let onRefused: (IntegrationKind) -> Void
  private var hasRefused = false

  /// A lock with a PIN, or none.
  init(pin: String?) {
    gate = PINGate(pin: pin)
    integration = nil
    onRefused = { _ in }
  }

  /// One for an integration's process, or for anybody's.
  init(for integration: IntegrationKind?, onRefused: @escaping (IntegrationKind) -> Void) {
    gate = PINGate(pin: nil)
    self.integration = integration
    self.onRefused = onRefused
  }

  /// Why a command may not be given; nil: it may.
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

  /// The session is over.
  func close() { gate.lock() }
}
