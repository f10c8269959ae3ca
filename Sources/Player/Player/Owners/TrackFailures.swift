// Tracks that failed: how many, how many in a row, and when the last or the next one is tried. Control thread only.

import PlaybackModel
import Platform

/// Counts failures, keeps the timer of the next retry, and slows a queue down in which everything fails.
final class TrackFailures {
  /// Errors of tracks so far.
  private(set) var count = 0
  /// How often a track that failed was tried again by itself.
  private(set) var retries = 0
  /// How often a decoder that died was restarted.
  private(set) var restarts = 0
  /// Tracks that were passed over one after another, without one between them that was heard, or a person's request.
  private(set) var inARow = 0
  /// Whether the player's owner sends `retry` when removed storage is back. Otherwise a track on such storage is tried
  /// again like any other.
  var isStorageWatched = false
  /// Called when the track is to be tried again.
  var onRetryDue: () -> Void = {}
  /// Called when the queue is to move on to another track.
  var onNextDue: () -> Void = {}
  /// Whether what is due is another track.
  private(set) var isNextDue = false
  private let timer: DeadlineTimer

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// So many tracks in a row are passed over as fast as they fail. Behind them each one waits: thousands of missing files cost
  /// a process, a line of the log and a cue each.
  static var mostAtOnce: Int { 20 }
  /// The first of those waits; each further one is twice as long.
  private static var firstWait: UInt64 { 1_000_000_000 }
  /// The longest of them.
  private static var maxWait: UInt64 { 10_000_000_000 }

  /// When the track, or another one, is tried, on the scheduler's clock; nil where that is not planned.
  var retryDue: UInt64? { timer.deadline }

  /// Counts a restart of a decoder.
  func noteRestart() { restarts += 1 }

  /// Counts an error.
  func note() { count += 1 }

  /// Counts a track that is passed over. Answers how many nanoseconds the one after it waits; nil: none.
  func notePassedOver() -> UInt64? {
    inARow += 1
    guard inARow >= Self.mostAtOnce else { return nil }
    return min(Self.maxWait, Self.firstWait << UInt64(min(inARow - Self.mostAtOnce, 16)))
  }

  /// Whether so many have failed in a row that the next ones wait.
  var isSlowedDown: Bool { inARow >= Self.mostAtOnce }

  /// Something is heard, or a person wants something: what fails next is the first one.
  func endRow() { inARow = 0 }

  /// Tries again after a time, unless the error is about storage that the player's owner watches.
  func scheduleRetry(after time: Seconds, _ error: PlaybackError?) {
    if isStorageWatched, error?.kind == .storageRemoved { return }
    isNextDue = false
    timer.start(after: UInt64(max(0, time.value) * 1e9)) { [unowned(unsafe) self] in
      retries += 1
      onRetryDue()
    }
  }

  /// Moves on to another track after so many nanoseconds.
  func scheduleNext(after nanoseconds: UInt64) {
    isNextDue = true
    timer.start(after: nanoseconds) { [unowned(unsafe) self] in onNextDue() }
  }

  /// Tries nothing.
  func stopRetrying() { timer.stop() }
}
