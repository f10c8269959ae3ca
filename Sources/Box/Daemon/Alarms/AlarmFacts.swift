// What others may know of the alarms. Values; control thread.

import PlaybackModel

/// What rings, and what will.
struct AlarmFacts {
  /// Whether one rings.
  enum State {
    case quiet
    case ringing(AlarmRinging.Stage)
    /// It rings again at a day and time.
    case snoozed(until: String)

    /// As `status` and the event say it.
    var text: String {
      switch self {
      case .quiet: "quiet"
      case .ringing(.wanted): "rings"
      case .ringing(.fallback): "rings with the fallback"
      case .ringing(.builtIn): "rings with the built-in sound"
      case .snoozed(let time): "snoozed until \(time)"
      }
    }
  }

  /// Whether one rings.
  var state = State.quiet
  /// What the one that rings or is snoozed plays.
  var name: String?
  /// Day and time of the next; nil: none is set.
  var next: String?

  init(next: String?) { self.next = next }
}
