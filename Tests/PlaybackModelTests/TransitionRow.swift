// A row of the transition table. Test threads.

import PlaybackModel
import Testing

struct Row: Sendable, CustomTestStringConvertible {
  let name: String
  let state: PlayerState
  var fadesManually = false
  /// The expected kind of state, and the events that lead there. "~": the same kind with other contents; "=":
  /// handled without a change.
  let expected: [String: String]
  var testDescription: String { name }
}
