// Tag events as shown in the event feed. Plain values; control thread.

import Controls
import PlaybackModel

/// An event of a tag.
struct TagFacts {
  /// Kind of event.
  enum Change: CaseIterable {
    case placed, unknown, failed, lifted, set, learnt, removed

    /// Name in the event's fields.
    var word: String {
      switch self {
      case .placed: "placed"
      case .unknown: "unknown"
      case .failed: "failed"
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
      case .failed: "cannot carry out its command"
      case .lifted: "has gone"
      case .set, .learnt: "has a command now"
      case .removed: "is forgotten"
      }
    }
  }

  /// Kind of event.
  let change: Change
  let tag: TagID
  /// The tag's command line.
  var line: String?
  /// Reader that reported the tag; nil: a console command.
  var reader: ControlName?

  /// Text for users.
  var text: String { tag.text + " " + change.sentence + (line.map { ": " + $0 } ?? "") }
}
