// A part of what a path stands for, as it is typed: `5:10`. A pure value; any thread.

/// Tracks of a list, from one to another or to the end.
package struct TrackRange: Hashable, Sendable {
  /// The first.
  package let first: QueuePosition
  /// The last; nil: the last there is.
  package let last: QueuePosition?

  /// A range whose last track is not before its first; nil otherwise.
  package init?(_ first: QueuePosition, through last: QueuePosition?) {
    guard last.map({ $0.index >= first.index }) ?? true else { return nil }
    self.first = first
    self.last = last
  }

  /// The range of a word such as `5:10` or `5:`.
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

  /// As it is typed.
  var text: String { String(first.number) + ":" + (last.map { String($0.number) } ?? "") }

  /// Those of `count` tracks that it means; nil where the first is not there.
  package func indices(of count: Int) -> Range<Int>? {
    guard first.index < count else { return nil }
    return first.index..<min(count, (last?.index ?? count) + 1)
  }
}
