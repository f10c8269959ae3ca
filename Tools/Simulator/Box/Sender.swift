// Whoever sends to a live source of a simulated box: a phone, a record player. It outlasts the box. One thread.

/// What somebody does who sends.
package enum SenderAction: String, CaseIterable, Equatable, Sendable {
  /// Sound comes.
  case sounds
  /// No byte comes any more.
  case pauses
  /// The program that receives it ends.
  case ends
}

/// Somebody who sends, to all who listen at a place.
final class Sender {
  /// The name of the source that it is for.
  let name: String
  /// Whether it may take the loudspeaker by itself, whatever is heard.
  let takesOverAlways: Bool
  private(set) var isSounding = false
  /// Since when it does, or does not.
  private(set) var since: UInt64 = 0
  /// For how long nothing had come before.
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
