// Time windows in which the oracle tolerates a discrepancy. Each kind has a maximum length and a reason. Pure values;
// any thread.

/// Reason for tolerating a discrepancy for a limited time. Each case names the variable that holds the window's end.
enum ExcuseWindow: CaseIterable {
  /// `jumpsUntil`
  case missingFrames
  /// `faultUntil` after a card has stopped, and at the first sound after that
  case cardRamp
  /// `faultUntil` in the state `buffering`
  case dryRamp
  /// `strangeCuesUntil` after a card has stopped
  case interruptedCue
  /// `strangeCuesUntil` while an alarm rings
  case alarmSound
  /// `quickFinishUntil`
  case quickFinish
  /// `abandonedPlayUntil` after an order that waits for storage
  case abandonedPlay
  /// `abandonedPlayUntil` when an alarm is due
  case alarmPlay
  /// `announcementStopsUntil`
  case announcementStop
  /// `faultAt`, for positions
  case faultPosition
  /// `faultAt`, for steady gains
  case faultGain
  /// `Voice.endKnownAt`, measured in the track's sound
  case statedEnd
  /// `unheardFrames`, measured in the track's sound
  case faintFade

  /// Maximum length of the window in nanoseconds.
  var bound: UInt64 {
    switch self {
    case .missingFrames: 2_000_000_000
    case .cardRamp: 400_000_000
    case .dryRamp: 300_000_000
    case .interruptedCue: 3_500_000_000
    case .alarmSound: 605_000_000_000
    case .quickFinish: 1_000_000_000
    case .abandonedPlay: 33_000_000_000
    case .alarmPlay: 45_000_000_000
    case .announcementStop: 10_000_000_000
    case .faultPosition: 1_000_000_000
    case .faultGain: 1_500_000_000
    case .statedEnd: 1_300_000_000
    case .faintFade: 20_000_000
    }
  }

  /// Why the oracle cannot determine what happens within the window.
  var reason: String {
    switch self {
    case .missingFrames: "a card that stopped does not say how many of its frames were heard"
    case .cardRamp: "the engine's own ramp out of a card's silence may fall together with that of an order"
    case .dryRamp: "a ring that ran dry is ramped out, and an order's ramp may begin on the same frame"
    case .interruptedCue: "a card stopped within a sound of the box's own: three of the longest may follow"
    case .alarmSound: "an alarm sounds for ten minutes at most, with a sound that grows"
    case .quickFinish: "a press may make the rest of a fade last a second"
    case .abandonedPlay: "a box waits for its storage that long before it answers an order"
    case .alarmPlay: "an alarm's playlist may be waited for"
    case .announcementStop:
      "an announcement that was stopped ends over a ramp, behind a thread that stands still"
    case .faultPosition: "a position is published once a turn of the audio loop, which a fault puts off"
    case .faultGain: "a card that came back begins with a ramp"
    case .statedEnd:
      "the player places a fade by the stated length until a truncated file's end is this far ahead"
    case .faintFade: "the first frames of a fade are as good as silent, and an order may end it behind them"
    }
  }
}
