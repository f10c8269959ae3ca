// Sender behind a live source of a simulated box, such as a phone or a turntable. It survives reboots of the box. One
// thread.

/// Action of a sender.
package enum SenderAction: String, CaseIterable, Equatable, Sendable {
  /// Starts sending sound.
  case sounds
  /// Stops sending.
  case pauses
  /// Ends the program that receives the sound.
  case ends
}

/// Sender whose sound reaches all receivers of its live source.
final class Sender {
  /// Name of the live source.
  let name: String
  /// Whether the source may take over the output whatever is playing.
  let takesOverAlways: Bool
  private(set) var isSounding = false
  /// When `isSounding` last changed, in nanoseconds.
  private(set) var since: UInt64 = 0
  /// Length of the last pause before sound began, in nanoseconds.
  private(set) var formerPause: UInt64 = .max
  /// How often its receiver has ended.
  private(set) var ends = 0

  init(_ name: String, takesOverAlways: Bool) {
    (self.name, self.takesOverAlways) = (name, takesOverAlways)
  }

  func perform(_ action: SenderAction, at now: UInt64) {
    if action == .ends { ends += 1 }
    guard isSounding != (action == .sounds) else { return }
    if action == .sounds, since > 0 { formerPause = now - since }
    (isSounding, since) = (action == .sounds, now)
  }
}
