// What a line may ask for: all that a person may who has its PIN, or what a neighbour has to. Control thread.

import Console

/// The lock of one line; that of a serial line stays when sessions come and go, so that hanging up shortens no wait.
final class ConsoleLock {
  /// The PIN's; open where there is none.
  var gate: PINGate
  /// Whose process gives the commands; nil: somebody's who may give all.
  private let neighbour: NeighbourKind?
  /// Told of the first command that a neighbour has no right to.
  private let onRefused: (NeighbourKind) -> Void
  private var hasRefused = false

  /// A lock with a PIN, or none.
  init(pin: String?) {
    gate = PINGate(pin: pin)
    neighbour = nil
    onRefused = { _ in }
  }

  /// One for a neighbour's process, or for anybody's.
  init(for neighbour: NeighbourKind?, onRefused: @escaping (NeighbourKind) -> Void) {
    gate = PINGate(pin: nil)
    self.neighbour = neighbour
    self.onRefused = onRefused
  }

  /// Why a command may not be given; nil: it may.
  func refusal(of command: Command) -> Reply? {
    if let refusal = gate.refusal(of: command) { return refusal }
    guard let neighbour, !neighbour.mayGive(command) else { return nil }
    if !hasRefused { onRefused(neighbour) }
    hasRefused = true
    return .error(
      ConsoleError(
        .notAllowed,
        "this is not for \(neighbour.title), which plays and asks but does not set up the box; use the console"
      ))
  }

  /// The session is over.
  func close() { gate.lock() }
}
