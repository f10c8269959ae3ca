// A row of the transition table. Test threads.

import PlaybackModel
import Testing

struct Row: Sendable, CustomTestStringConvertible {
  let name: String
  let state: PlayerState
  var fadesManually = false
  /// Expected kind of state to the events that lead there. "~": the same kind with other contents;
  /// "=": understood, nothing changes.
  let expected: [String: String]
  var testDescription: String { name }
}
