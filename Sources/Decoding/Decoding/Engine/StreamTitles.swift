// Station titles that wait until the audio at their byte offset is decoded. Pure; control thread.

/// Pending titles of a station, and a rate limit on the titles that a worker reports itself.
struct StreamTitles {
  /// Burst size and rate of a worker's own titles. A valid stream has fewer chained links.
  static let namesAtOnce = 128
  static let namesPerSecond: UInt64 = 16

  /// Maximum number of pending titles, equal to the marks that a worker keeps. The oldest is evicted.
  static let limit = 32

  private var waiting: [(offset: UInt64, title: String)] = []
  /// Titles whose audio was decoded, kept for seeks backwards; at most `limit`.
  private var past: [(offset: UInt64, title: String)] = []
  /// The highest evicted offset; nil if none was evicted.
  private var dropped: UInt64?
  private var namesLeft = Self.namesAtOnce
  private var counted: UInt64 = 0

  /// The byte offsets of the pending titles.
  var offsets: [UInt64] { waiting.map { $0.offset } }

  /// Adds a title that begins at a byte offset of the stream.
  mutating func add(_ title: String, at offset: UInt64) {
    if waiting.count == Self.limit {
      let oldest = waiting.removeFirst().offset
      dropped = max(dropped ?? oldest, oldest)
    }
    waiting.append((offset, title))
  }

  /// Whether the title at an offset may have been evicted, so that a worker's answer for it is valid.
  func mayHaveDropped(_ offset: UInt64) -> Bool { dropped.map { offset <= $0 } ?? false }

  /// Applies the rate limit to one title reported by the worker.
  ///
  /// - Parameter now: Nanoseconds of a monotonic clock.
  /// - Returns: False if the worker exceeds the limit.
  mutating func takesName(now: UInt64) -> Bool {
    let earned = (now &- counted) / (1_000_000_000 / Self.namesPerSecond)
    if earned > 0 {
      namesLeft = Int(min(UInt64(Self.namesAtOnce), UInt64(namesLeft) &+ min(earned, 1 << 32)))
      counted = now
    }
    guard namesLeft > 0 else { return false }
    namesLeft -= 1
    return true
  }

  /// Removes and returns the pending title at an offset; nil if there is none.
  mutating func take(_ offset: UInt64) -> String? {
    guard let place = waiting.firstIndex(where: { $0.offset == offset }) else { return nil }
    let found = waiting.remove(at: place)
    if past.count == Self.limit { past.removeFirst() }
    past.append(found)
    return found.title
  }

  /// Whether a title is pending at an offset.
  func awaits(_ offset: UInt64) -> Bool { waiting.contains { $0.offset == offset } }

  /// Makes all known titles pending again, after a seek.
  mutating func recall() {
    let all = (past + waiting).suffix(Self.limit)
    past = []
    waiting = Array(all)
  }
}
