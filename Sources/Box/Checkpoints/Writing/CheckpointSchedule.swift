// When a checkpoint is written. A pure value: no clock, no I/O; control thread.

import PlaybackModel
import Platform

/// Decides when to write: soon after every change, at once where a listener would miss it, regularly while
/// something is heard, never while nothing changes; less often while the storage fails.
///
/// The shell tells it of changes, asks `due` for its timer, and when that is reached hands a checkpoint to
/// the writer and calls `begin`; the writer's report goes to `finish`. Times are the scheduler's.
package struct CheckpointSchedule: Sendable {
  /// How often, at most and at least.
  package struct Settings: Hashable, Sendable {
    /// At most this much of play is lost with the power, the time that writing takes included; 1…3600 s.
    package var interval = Seconds(10)
    /// In the long run one checkpoint in this time at most, and changes that do not hurry wait for each
    /// other as long; 0.05…10 s.
    package var spacing = Seconds(0.5)
    /// So many may follow each other without a wait after a rest: some skips in a row, of two transitions
    /// each; 1…16.
    package var burst = 8
    /// The wait after a first failure; each further one is twice as long, and each a little shorter than that.
    package var firstRetry = Seconds(1)
    /// The longest wait between failures.
    package var longestRetry = Seconds(60)

    /// The defaults.
    package init() {}
  }

  /// How much a change hurries.
  package enum Urgency: Hashable, Sendable {
    /// It can wait for others: a turn of the knob, what a decoder tells of a track.
    case soon
    /// It cannot: what somebody ordered, or heard.
    case atOnce

    /// That of a change within a state, such as the exact frame of a pause.
    package init(within state: PlayerState) {
      switch state {
      case .paused, .crossfading, .crossfadePaused: self = .atOnce
      case .idle, .preparing, .ready, .playing, .buffering, .seeking, .preparingCrossfade, .fadingOut,
        .finished, .failed:
        self = .soon
      }
    }
  }

  /// What decisions are made by; a change applies from the next decision on.
  package var settings: Settings
  /// Whether something is heard, so that the position moves without any change being reported.
  package var isPlaying = false
  /// What `status` shows.
  package private(set) var status = CheckpointStatus()

  private var change: Urgency?
  private var begun: UInt64?
  private var lastBegin: UInt64?
  private var retry: UInt64?
  private var backOff: BackOff
  /// When the long-run rate will have been kept again (generic cell rate algorithm, ITU-T I.371).
  private var theoretical: UInt64 = 0
  /// How long writing takes at present, so that the interval can begin that much earlier.
  private var latency: UInt64 = 0

  /// Nothing written yet, nothing to write.
  package init(settings: Settings = Settings()) {
    self.settings = settings
    backOff = Self.backOff(settings)
  }

  /// Something changed that a checkpoint holds.
  package mutating func note(_ urgency: Urgency) {
    if change != .atOnce { change = urgency }
  }

  /// When a failure is tried again; nil where nothing has failed.
  package var retryAt: UInt64? { retry }

  /// Whether a checkpoint is being written.
  package var isWriting: Bool { begun != nil }

  /// When the next checkpoint is to be written, possibly in the past; nil while there is nothing to write, or
  /// one is being written.
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

  /// Whether one is to be written now.
  package func isDue(at now: UInt64) -> Bool { due.map { $0 <= now } ?? false }

  /// One is handed to the writer. Allowed at any time, also when none is due: at the end, when power fails.
  package mutating func begin(at now: UInt64) {
    change = nil
    begun = now
    lastBegin = now
    theoretical = max(theoretical, now) + spacing
  }

  /// The writer has reported. A failure is tried again by itself, with the state of that moment.
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

  /// The file is open at last: what waited for another try of that can be written now.
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
