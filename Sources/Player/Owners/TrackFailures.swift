// Tracks that failed: how many, and when the last one is tried again. Control thread only.

import PlaybackModel
import Platform

/// Counts failures, and keeps the timer of the next retry.
final class TrackFailures {
  /// Errors of tracks so far.
  private(set) var count = 0
  /// How often a track that failed was tried again by itself.
  private(set) var retries = 0
  /// Whether the player's owner sends `retry` when removed storage is back. Otherwise a track on such storage is tried
  /// again like any other.
  var isStorageWatched = false
  /// Called when the track is to be tried again.
  var onRetryDue: () -> Void = {}
  private let timer: DeadlineTimer

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// When the track is tried again, on the scheduler's clock; nil where that is not planned.
  var retryDue: UInt64? { timer.deadline }

  /// Counts an error.
  func note() { count += 1 }

  /// Tries again after a time, unless the error is about storage that the player's owner watches.
  func scheduleRetry(after time: Seconds, _ error: PlaybackError?) {
    if isStorageWatched, error?.kind == .storageRemoved { return }
    timer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      retries += 1
      onRetryDue()
    }
  }

  /// Does not try again.
  func stopRetrying() { timer.stop() }
}
