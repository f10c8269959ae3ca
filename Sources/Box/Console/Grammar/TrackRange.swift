// A range of tracks within a path's contents, typed as `5:10`. A pure value; any thread.

/// A range of tracks in a list, open-ended or with a last track.
package struct TrackRange: Hashable, Sendable {
  /// The first track.
  package let first: QueuePosition
  /// The last track; nil: to the end of the list.
  package let last: QueuePosition?

  /// Creates a range; nil if its last track is before its first.
  package init?(_ first: QueuePosition, through last: QueuePosition?) {
    guard last.map({ $0.index >= first.index }) ?? true else { return nil }
    self.first = first
    self.last = last
  }

  /// Parses a word such as `5:10` or `5:`.
  init?(_ word: String) {
    let parts = word.utf8.split(separator: 0x3A, omittingEmptySubsequences: false).map {
      String(decoding: Array($0), as: UTF8.self)
    }
    func position(_ text: String) -> QueuePosition? {
      SettingKind.integer(text, unit: "").flatMap { QueuePosition(number: $0) }
    }
    guard parts.count == 2, let first = position(parts[0]) else { return nil }
    guard !parts[1].utf8.isEmpty else {
      self.init(first, through: nil)
      return
    }
    guard let last = position(parts[1]) else { return nil }
    self.init(first, through: last)
  }

  /// The text that `init(_:)` parses.
  var text: String { String(first.number) + ":" + (last.map { String($0.number) } ?? "") }

  /// The range as indices into a list.
  ///
  /// - Parameter count: The list's length.
  /// - Returns: The indices; nil if the first track is beyond the end.
  package func indices(of count: Int) -> Range<Int>? {
    guard first.index < count else { return nil }
    return first.index..<min(count, (last?.index ?? count) + 1)
  }
}
