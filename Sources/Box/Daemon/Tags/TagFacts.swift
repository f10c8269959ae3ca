// What others may know of a tag. Values; control thread.

import Controls
import PlaybackModel

/// What has become of a tag.
struct TagFacts {
  /// What has happened.
  enum Change: CaseIterable {
    case placed, unknown, lifted, set, learnt, removed

    /// As the event says it.
    var word: String {
      switch self {
      case .placed: "placed"
      case .unknown: "unknown"
      case .lifted: "lifted"
      case .set: "set"
      case .learnt: "learnt"
      case .removed: "removed"
      }
    }

    fileprivate var sentence: String {
      switch self {
      case .placed: "has come"
      case .unknown: "has come, and has no command"
      case .lifted: "has gone"
      case .set, .learnt: "has a command now"
      case .removed: "is forgotten"
      }
    }
  }

  /// What has happened.
  let change: Change
  /// The tag.
  let tag: TagID
  /// What it does, as it is typed.
  var line: String?
  /// The reader that has reported it; nil: a command has.
  var reader: ControlName?

  /// In words.
  var text: String { tag.text + " " + change.sentence + (line.map { ": " + $0 } ?? "") }
}
