// Questions to the index of the music, and what becomes of it. Pure values; control thread.

/// Something that is asked of the index. The words behind a verb are the index's to read.
package enum LibraryCommand: Hashable, Sendable {
  /// Tracks on which all conditions hold.
  case find([String])
  /// The same, where capital letters do not matter and a part is enough.
  case search([String])
  /// What a tag is on the tracks.
  case list([String])
  /// How many tracks there are, and how long they play.
  case count([String])
  /// What the index holds.
  case summary
  /// Files that cannot be read.
  case faults([String])
  /// What it knows of the entries of the queue, from the first or a position on, and so many.
  case queue(from: QueuePosition?, count: Int?)
  /// Looks for what has changed.
  case update
  /// Makes it afresh.
  case rebuild

  /// The command's name, without the words behind it.
  package var verb: String {
    switch self {
    case .find: "find"
    case .search: "search"
    case .list: "list"
    case .count: "count"
    case .summary: "library"
    case .faults: "library faults"
    case .queue: "library queue"
    case .update: "library update"
    case .rebuild: "library rebuild"
    }
  }

  /// The words behind it.
  package var words: [String] {
    switch self {
    case .find(let words), .search(let words), .list(let words), .count(let words), .faults(let words): words
    case .queue(let from, let count):
      (from.map { [String($0.number)] } ?? []) + (count.map { [String($0)] } ?? [])
    case .summary, .update, .rebuild: []
    }
  }
}
