// Progress of restoring the saved state, whose storage may respond late or never. Control thread; never blocks.

import Checkpoints
import PlaybackModel
import Platform

/// Result of restoring the saved state.
package enum ResumeOutcome: Hashable, Sendable {
  /// The storage has not responded yet.
  case pending
  /// The state was restored as far as the settings allow, or there was none.
  case taken
  /// The user had started something else before the storage responded.
  case replaced
}

/// Holds the loaded state until it can be restored, with a timeout.
final class Resumption {
  /// Nanoseconds after which a play command no longer waits for the saved state, but plays other music.
  private static let timeoutNanoseconds: UInt64 = 10_000_000_000

  /// Called when the saved state is restored, absent, or has timed out.
  var onKnown: () -> Void = {}
  /// Called when the saved state was restored, before any other event.
  var onTaken: () -> Void = {}
  /// Whether waiting has ended: the state was restored, is absent, or has timed out.
  private(set) var isKnown = false
  /// Result of restoring the saved state.
  private(set) var outcome = ResumeOutcome.pending
  /// Loaded state that waits for an output.
  var found: JournalOpening?
  /// User's volume when the output was opened.
  var firstVolume: Volume?
  /// Whether to restore the state as paused, after repeated crashes.
  var isCautious = false
  /// Whether the user's last playback command since the start was pause or stop.
  var isSilenced = false
  private let timer: DeadlineTimer

  init(_ scheduler: any Scheduler) { timer = DeadlineTimer(scheduler) }

  /// Starts the timeout; call when loading begins.
  func begin() {
    timer.start(after: Self.timeoutNanoseconds) { [unowned(unsafe) self] in know() }
  }

  /// Records the result and calls the callbacks.
  func settle(_ outcome: ResumeOutcome) {
    self.outcome = outcome
    onTaken()
    know()
  }

  /// Cancels the timeout.
  func end() { timer.stop() }

  private func know() {
    guard !isKnown else { return }
    isKnown = true
    timer.stop()
    onKnown()
  }
}
