// State of the parental limits as shown in `status` and in the `limits` event. Plain values; control thread.

import PlaybackModel

/// The limit in effect and the remaining time.
struct LimitFacts: Equatable {
  /// The limit that forbids playback; nil: playback is allowed.
  var limit: PlayLimit?
  /// Minutes left today, rounded up; nil without a daily limit.
  var minutesLeft: Int?

  /// Text for users.
  var text: String {
    let left = minutesLeft.map { ", \($0) min of today are left" } ?? ""
    switch limit {
    case .quiet: return "quiet hours" + left
    case .daily: return "today's time is used up"
    case nil: return "music may be played" + left
    }
  }
}
