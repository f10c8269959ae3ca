// Counts failed tracks and restarted decoders, schedules retries, and throttles a queue in which every track fails.
// Control thread only.

import PlaybackModel
import Platform

/// Counts failures, owns the retry timer, and delays further tracks after many consecutive failures.
final class TrackFailures {
  /// Number of track errors so far.
  private(set) var count = 0
  /// Number of automatic retries so far.
  private(set) var retries = 0
  /// Number of decoder restarts so far.
  private(set) var restarts = 0
  /// Number of tracks skipped in a row, without an audible track or a user's request between them.
  private(set) var inARow = 0
  /// Whether the player's owner sends `retry` when removed storage returns. If not, a track on such storage is
  /// retried by the timer.
  var isStorageWatched = false
  /// Called when the failed track is to be retried.
  var onRetryDue: () -> Void = {}
  /// Called when the queue is to move on to another track.
  var onNextDue: () -> Void = {}
  /// Whether the timer is for another track instead of a retry.
  private(set) var isNextDue = false
  private let timer: DeadlineTimer

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// Number of consecutive failures that are skipped without delay. Each further track waits: with thousands of
  /// missing files, every attempt costs a process, a log line and a cue sound.
  static var mostAtOnce: Int { 20 }
  /// The first delay in nanoseconds; doubled for each further track.
  private static var firstWait: UInt64 { 1_000_000_000 }
  /// The maximum delay in nanoseconds.
  private static var maxWait: UInt64 { 10_000_000_000 }

  /// When the failed track or another one is tried, on the scheduler's clock in nanoseconds; nil if nothing is
  /// scheduled.
  var retryDue: UInt64? { timer.deadline }

  /// Counts a decoder restart.
  func noteRestart() { restarts += 1 }

  /// Counts a track error.
  func note() { count += 1 }

  /// Counts a skipped track.
  ///
  /// - Returns: The delay before the next track in nanoseconds; nil: no delay.
  func notePassedOver() -> UInt64? {
    inARow += 1
    guard inARow >= Self.mostAtOnce else { return nil }
    return min(Self.maxWait, Self.firstWait << UInt64(min(inARow - Self.mostAtOnce, 16)))
  }

  /// Whether enough consecutive tracks have failed to delay further ones.
  var isSlowedDown: Bool { inARow >= Self.mostAtOnce }

  /// Resets the count of consecutive failures, because a track is audible or the user has requested something.
  func endRow() { inARow = 0 }

  /// Schedules a retry, unless the error concerns storage that the player's owner watches.
  func scheduleRetry(after time: Seconds, _ error: PlaybackError?) {
    if isStorageWatched, error?.kind == .storageRemoved { return }
    isNextDue = false
    timer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      retries += 1
      onRetryDue()
    }
  }

  /// Schedules the move to another track after a delay in nanoseconds.
  func scheduleNext(after nanoseconds: UInt64) {
    isNextDue = true
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in onNextDue() }
  }

  /// Cancels the scheduled retry or move.
  func stopRetrying() { timer.stop() }
}
