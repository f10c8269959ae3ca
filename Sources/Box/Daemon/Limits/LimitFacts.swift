// What others may know of the limits. Values; control thread.

import PlaybackModel

/// What may be played now.
struct LimitFacts: Equatable {
  /// Why nothing may; nil: something may.
  var limit: PlayLimit?
  /// Minutes of today that are left, rounded up; nil without a daily limit.
  var minutesLeft: Int?

  /// In words.
  var text: String {
    let left = minutesLeft.map { ", \($0) min of today are left" } ?? ""
    switch limit {
    case .quiet: return "quiet hours" + left
    case .daily: return "today's time is used up"
    case nil: return "music may be played" + left
    }
  }
}
