// Alarm state as shown in `status` and in the `alarm` event. Plain values; control thread.

import PlaybackModel

/// The current alarm and the next one.
struct AlarmFacts {
  /// Whether an alarm is quiet, ringing or snoozed.
  enum State {
    case quiet
    case ringing(AlarmRinging.Stage)
    /// Rings again at the given day and time.
    case snoozed(until: String)

    /// Text for `status` and the `alarm` event.
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

  /// Current state.
  var state = State.quiet
  /// Name of the music of the ringing or snoozed alarm; nil while quiet.
  var name: String?
  /// Day and time of the next alarm; nil: none is set.
  var next: String?

  init(next: String?) { self.next = next }
}
