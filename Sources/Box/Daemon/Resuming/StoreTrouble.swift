// Which of the box's small files cannot be written: the light and a cue say so, because what a person has set is lost with the power.
// Control thread.

import Console
import PlaybackModel

/// Notes files that cannot be written.
final class StoreTrouble {
  /// Their paths.
  private var failing: Set<String> = []
  /// Called when the first file fails, and when the last one is written again.
  var onChange: (_ isFailing: Bool) -> Void = { _ in }

  /// Whether a change is not stored.
  var isFailing: Bool { !failing.isEmpty }

  /// The file at a path could not be written, or was.
  func note(_ path: String, isFailing: Bool) {
    let before = self.isFailing
    if isFailing { failing.insert(path) } else { failing.remove(path) }
    if before != self.isFailing { onChange(self.isFailing) }
  }

  /// The light of a change that is not stored, or `indicator` where every change is. A playback failure takes precedence.
  func indicator(_ indicator: Indicator, in state: PlayerState) -> Indicator {
    isFailing && state.kind != .failed ? .notSaved : indicator
  }
}
