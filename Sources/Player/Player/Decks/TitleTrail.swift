// The titles that a station announced for the sound in a deck's ring. A value; control thread.

/// Titles ordered by the ring index at which each begins.
struct TitleTrail: Equatable {
  /// Maximum number of titles; the oldest is dropped. A ring holds only seconds of sound.
  static let limit = 16

  private struct Entry: Equatable {
    let index: UInt64
    let title: String
  }

  private var entries: [Entry] = []

  /// Adds a title that begins at a ring index.
  mutating func note(_ title: String, from index: UInt64) {
    // A late title begins where it arrived, never before the previous one.
    let index = max(index, entries.last?.index ?? 0)
    if entries.count == Self.limit { entries.removeFirst() }
    entries.append(Entry(index: index, title: title))
  }

  /// Forgets all titles after a seek, because ring indexes have a new meaning.
  mutating func restart() { entries = [] }

  /// The title of the sound at a ring index; nil if it has none.
  func title(at index: UInt64) -> String? { entries.last { $0.index <= index }?.title }

  /// The ring index at which the next title after an index begins.
  func next(after index: UInt64) -> UInt64? { entries.first { $0.index > index }?.index }
}
