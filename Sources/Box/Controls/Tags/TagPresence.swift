// Filters the polls of an NFC reader, which may miss a tag now and then. Pure value; in the reader's process.

import PlaybackModel

/// Turns poll results into changes.
///
/// A tag counts as present as soon as one poll sees it. It counts as removed or replaced after several polls
/// in a row did not see it: at the edge of the field, or next to a second tag, a poll may miss it.
package struct TagPresence: Sendable {
  /// The number of consecutive polls that must miss a tag.
  package static let maxMisses = 4

  private enum Field: Equatable {
    case unknown
    case empty
    case tag(TagID)
  }

  private var field = Field.unknown
  private var misses = 0

  /// Creates a filter before the first poll.
  package init() {}

  /// Whether a tag is known to be present.
  package var hasTag: Bool {
    if case .tag = field { true } else { false }
  }

  /// Processes a poll's result.
  ///
  /// - Parameter seen: The tag that the poll found; nil for none.
  /// - Returns: The change, if there is one.
  package mutating func take(_ seen: TagID?) -> ReaderReport? {
    let found = seen.map { Field.tag($0) } ?? .empty
    guard found != field else {
      misses = 0
      return nil
    }
    // Seeing a new tag is certain; missing a present tag is not.
    if hasTag || found == .empty {
      misses += 1
      guard misses >= Self.maxMisses else { return nil }
    }
    misses = 0
    field = found
    return seen.map { .present($0) } ?? .absent
  }
}
