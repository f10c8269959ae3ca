// Tracks state files that cannot be written, so that a light and a cue can warn the user. Control thread.

import Console
import PlaybackModel

/// The set of state files whose last write failed.
final class StoreTrouble {
  /// Paths of these files.
  private var failing: Set<String> = []
  /// Called when the first write fails, and when all files are written again.
  var onChange: (_ isFailing: Bool) -> Void = { _ in }

  /// Whether any file has unsaved changes because writing failed.
  var isFailing: Bool { !failing.isEmpty }

  /// Records the result of a write.
  func note(_ path: String, isFailing: Bool) {
    let before = self.isFailing
    if isFailing { failing.insert(path) } else { failing.remove(path) }
    if before != self.isFailing { onChange(self.isFailing) }
  }

  /// Light pattern for unsaved changes, or `indicator` if there are none. A playback failure takes precedence.
  func indicator(_ indicator: Indicator, in state: PlayerState) -> Indicator {
    isFailing && state.kind != .failed ? .notSaved : indicator
  }
}
