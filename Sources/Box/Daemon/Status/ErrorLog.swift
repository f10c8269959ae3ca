// Writes errors and notes of the player to the log. Control thread.

import Console
import PlaybackModel
import Platform

/// Logs the player's errors.
final class ErrorLog {
  private let subscription: EventSubscription

  init(_ log: Log, _ feed: EventFeed) {
    subscription = feed.listen { [log] stamped in
      switch stamped.event {
      case .error(let error): log.write(.error, error.sentence + " " + error.remedy)
      case .note(let text): log.write(.warning, text, isPublic: true)
      case .restarted(let track, let error):
        log.write(
          .warning, error.sentence + " Its decoder was restarted; " + track.displayName + " plays on.")
      case .missed(let time, let track):
        log.write(
          .warning,
          track.displayName + " continues; " + Decimal.gap(seconds: time.value) + " of it is missing.")
      default: break
      }
    }
  }
}
