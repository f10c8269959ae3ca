// Commands that query or update the index of the music. Pure values; control thread.

/// A command for the index of the music. The index itself parses the words of queries.
package enum LibraryCommand: Hashable, Sendable {
  /// Tracks that satisfy all conditions.
  case find([String])
  /// Tracks that satisfy all conditions, ignoring case and matching parts of tags.
  case search([String])
  /// The distinct values of a tag.
  case list([String])
  /// The number of tracks, and their total length.
  case count([String])
  /// A summary of the index.
  case summary
  /// Files that cannot be read.
  case faults([String])
  /// Tags of at most `count` queue entries, from the first or from a position.
  case queue(from: QueuePosition?, count: Int?)
  /// Scans for changes.
  case update
  /// Builds the index anew.
  case rebuild

  /// The command's name without arguments.
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

  /// The command's arguments.
  package var words: [String] {
    switch self {
    case .find(let words), .search(let words), .list(let words), .count(let words), .faults(let words): words
    case .queue(let from, let count):
      (from.map { [String($0.number)] } ?? []) + (count.map { [String($0)] } ?? [])
    case .summary, .update, .rebuild: []
    }
  }
}
