// The titles that a station gives to what lies in a deck's ring. A value; control thread.

/// Titles by the ring index at which the sound of each begins.
struct TitleTrail: Equatable {
  /// Titles that are kept at once; the oldest gives way. A ring holds a few seconds.
  static let limit = 16

  private struct Entry: Equatable {
    let index: UInt64
    let title: String
  }

  private var entries: [Entry] = []

  /// From a ring index on, the sound is called so.
  mutating func note(_ title: String, from index: UInt64) {
    // A title that is late by some frames begins where it is, and no earlier than the last one.
    let index = max(index, entries.last?.index ?? 0)
    if entries.count == Self.limit { entries.removeFirst() }
    entries.append(Entry(index: index, title: title))
  }

  /// The sound goes on elsewhere, under indexes that mean something else: what it is called there is not known yet.
  mutating func restart() { entries = [] }

  /// What is heard at an index is called so; nil where it has no name.
  func title(at index: UInt64) -> String? { entries.last { $0.index <= index }?.title }

  /// Where the next title after an index begins.
  func next(after index: UInt64) -> UInt64? { entries.first { $0.index > index }?.index }
}
