// Which tag lies on a reader that is asked again and again, and sometimes misses it. Pure value; the reader's process.

import PlaybackModel

/// Makes what comes and goes of what is seen.
///
/// A tag counts as soon as it is seen once. It counts as gone, or as another one, when it was not seen several times in a row: at the edge of
/// the field, or beside a second tag, a look may miss it.
package struct TagPresence: Sendable {
  /// So many looks in a row have to miss a tag.
  package static let maxMisses = 4

  private enum Field: Equatable {
    case unknown
    case empty
    case tag(TagID)
  }

  private var field = Field.unknown
  private var misses = 0

  /// Nothing was looked for so far.
  package init() {}

  /// Whether a tag lies there, for all that is known.
  package var hasTag: Bool {
    if case .tag = field { true } else { false }
  }

  /// Takes what a look has shown; what has changed.
  package mutating func take(_ seen: TagID?) -> ReaderReport? {
    let found = seen.map { Field.tag($0) } ?? .empty
    guard found != field else {
      misses = 0
      return nil
    }
    // What is not there yet is seen for certain; what is there, or may be, is not missed for certain.
    if hasTag || found == .empty {
      misses += 1
      guard misses >= Self.maxMisses else { return nil }
    }
    misses = 0
    field = found
    return seen.map { .present($0) } ?? .absent
  }
}
