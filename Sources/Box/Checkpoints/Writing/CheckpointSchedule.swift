// Schedules checkpoints. A pure value: no clock, no I/O; control thread.

import PlaybackModel
import Platform

/// Decides when to write a checkpoint: soon after each change, at once for changes that the listener would
/// miss, regularly during playback, never while nothing changes, and less often while the storage fails.
///
/// The owner reports changes by `note`, sets a timer to `due`, and when that is reached passes a checkpoint
/// to the writer and calls `begin`; the writer's report is passed to `finish`. Times are in nanoseconds of
/// the scheduler's clock.
package struct CheckpointSchedule: Sendable {
  /// Limits on the frequency of checkpoints.
  package struct Settings: Hashable, Sendable {
    /// The most playback that a power loss may lose, including the time for writing; 1…3600 s.
    package var interval = Seconds(10)
    /// The average minimum time between checkpoints, and the wait in which changes that are not urgent are
    /// collected; 0.05…10 s.
    package var spacing = Seconds(0.5)
    /// The number of checkpoints that may follow each other without a wait, enough for several skips with two
    /// transitions each; 1…16.
    package var burst = 8
    /// The wait after the first failure. It doubles with each further one, minus some jitter.
    package var firstRetry = Seconds(1)
    /// The longest wait after failures.
    package var longestRetry = Seconds(60)

    /// Creates the defaults.
    package init() {}
  }

  /// The urgency of a change.
  package enum Urgency: Hashable, Sendable {
    /// The change can wait for more: a turn of the knob, or what a decoder finds out about a track.
    case soon
    /// The change is saved at once: a command, or a change that is audible.
    case atOnce

    /// The urgency of a change within a state, such as the exact frame of a pause.
    package init(within state: PlayerState) {
      switch state {
      case .paused, .crossfading, .crossfadePaused: self = .atOnce
      case .idle, .preparing, .ready, .playing, .buffering, .seeking, .preparingCrossfade, .fadingOut,
        .finished, .failed:
        self = .soon
      }
    }
  }

  /// The limits; a change applies from the next decision on.
  package var settings: Settings
  /// Whether audio is playing, so that the position advances without reported changes.
  package var isPlaying = false
  /// The status for `status` and `stats`.
  package private(set) var status = CheckpointStatus()

  private var change: Urgency?
  private var begun: UInt64?
  private var lastBegin: UInt64?
  private var retry: UInt64?
  private var backOff: BackOff
  /// The theoretical arrival time of the generic cell rate algorithm (ITU-T I.371), which enforces the
  /// average rate.
  private var theoretical: UInt64 = 0
  /// The recent duration of writing, by which the interval begins earlier.
  private var latency: UInt64 = 0

  /// Creates a schedule with nothing to write.
  package init(settings: Settings = Settings()) {
    self.settings = settings
    backOff = Self.backOff(settings)
  }

  /// Reports a change of the state that a checkpoint saves.
  package mutating func note(_ urgency: Urgency) {
    if change != .atOnce { change = urgency }
  }

  /// The time of the next retry; nil if the last write succeeded.
  package var retryAt: UInt64? { retry }

  /// Whether a checkpoint is being written.
  package var isWriting: Bool { begun != nil }

  /// The time of the next checkpoint, possibly in the past; nil if there is nothing to write or a write is in
  /// progress.
  package var due: UInt64? {
    guard begun == nil else { return nil }
    if let retry { return retry }
    let tolerance = spacing * UInt64(min(max(settings.burst, 1), 16) - 1)
    let allowed = theoretical > tolerance ? theoretical - tolerance : 0
    let regular: UInt64? =
      if isPlaying {
        lastBegin.map { $0 + interval - min(latency, interval / 2) } ?? 0
      } else {
        nil
      }
    let changed: UInt64? =
      switch change {
      case nil: nil
      case .atOnce: allowed
      case .soon: max(allowed, lastBegin.map { $0 + spacing } ?? 0)
      }
    guard let regular, let changed else { return regular ?? changed }
    return min(regular, changed)
  }

  /// Whether a checkpoint is due now.
  package func isDue(at now: UInt64) -> Bool { due.map { $0 <= now } ?? false }

  /// Records that a checkpoint was passed to the writer. Allowed at any time, for example at shutdown or
  /// power failure.
  package mutating func begin(at now: UInt64) {
    change = nil
    begun = now
    lastBegin = now
    theoretical = max(theoretical, now) + spacing
  }

  /// Records the writer's report. After a failure, a retry with the state of that time is scheduled.
  package mutating func finish(_ report: CheckpointReport, at now: UInt64) {
    let start = begun ?? now
    begun = nil
    status.take(report)
    if report.failure == nil {
      status.savedAt = start
      status.failuresInARow = 0
      retry = nil
      latency = max(now > start ? now - start : 0, latency / 8 * 7)
    } else {
      if status.failuresInARow == 0 { backOff = Self.backOff(settings) }
      status.failuresInARow += 1
      note(.soon)
      retry = now + backOff.next(at: now)
    }
  }

  /// Drops the wait for a retry, because the file has been opened.
  package mutating func didOpen() { retry = nil }

  private static func backOff(_ settings: Settings) -> BackOff {
    let first = nanoseconds(settings.firstRetry, 0.1, 60)
    return BackOff(first: first, longest: max(first, nanoseconds(settings.longestRetry, 1, 3600)))
  }

  private var interval: UInt64 { Self.nanoseconds(settings.interval, 1, 3600) }
  private var spacing: UInt64 { Self.nanoseconds(settings.spacing, 0.05, 10) }

  private static func nanoseconds(_ time: Seconds, _ low: Double, _ high: Double) -> UInt64 {
    UInt64((time.value > low ? min(time.value, high) : low) * 1e9)
  }
}
