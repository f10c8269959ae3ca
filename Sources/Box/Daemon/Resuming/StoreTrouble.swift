// Tracks state files that cannot be read or written, so that a light and a cue can warn the user. Control thread.

import Console
import Platform
import PlaybackModel
import RealtimeAudio

/// The set of state files with unsaved changes.
final class StoreTrouble: StatusSource {
  /// Paths of these files, with the reason, in the order of their failures.
  private var failing: [(path: String, reason: String)] = []
  private let outputs: OutputController
  private let cues: CueController

  init(_ outputs: OutputController, _ cues: CueController) {
    self.outputs = outputs
    self.cues = cues
  }

  /// Whether any file has unsaved changes because it could not be read or written.
  var isFailing: Bool { !failing.isEmpty }

  /// The reasons; none if all changes are saved.
  var statusFields: [Field] {
    failing.isEmpty ? [] : [Field("not-saved", failing.map { $0.reason }.joined(separator: "; "))]
  }

  /// Records the result of writing changes, or of reading the file that they belong to.
  func note(_ path: String, _ failure: SystemError?) {
    let before = isFailing
    failing.removeAll { $0.path == path }
    if let failure { failing.append((path, failure.description)) }
    guard before != isFailing else { return }
    if isFailing { cues.play(.notSaved) }
    outputs.noteLight()
  }

  /// Light pattern for unsaved changes, or `indicator` if there are none. A playback failure takes precedence.
  func indicator(_ indicator: Indicator, in state: PlayerState) -> Indicator {
    isFailing && state.kind != .failed ? .notSaved : indicator
  }
}
