// A station's titles on their way from the fetcher's word, or its worker's, to the sound that they name. Pure; control thread.

/// Titles whose sound is not decoded yet, and how many a worker may name by itself.
struct StreamTitles {
  /// Names from a worker at once, and per second: more than an honest one has links to take them from.
  static let namesAtOnce = 128
  static let namesPerSecond: UInt64 = 16

  /// Titles that wait at once; the oldest gives way. As many as a worker keeps marks.
  static let limit = 32

  private var waiting: [(offset: UInt64, title: String)] = []
  /// Those whose sound was made, for whoever goes back to it; as many again.
  private var past: [(offset: UInt64, title: String)] = []
  /// The last offset that gave way; nil where none has.
  private var dropped: UInt64?
  private var namesLeft = Self.namesAtOnce
  private var counted: UInt64 = 0

  /// The byte offsets whose sound is waited for.
  var offsets: [UInt64] { waiting.map { $0.offset } }

  /// From this byte on, the station calls its sound so.
  mutating func add(_ title: String, at offset: UInt64) {
    if waiting.count == Self.limit {
      let oldest = waiting.removeFirst().offset
      dropped = max(dropped ?? oldest, oldest)
    }
    waiting.append((offset, title))
  }

  /// Whether a byte may have been waited for before its title gave way to others: a worker answers what it was asked.
  func mayHaveDropped(_ offset: UInt64) -> Bool { dropped.map { offset <= $0 } ?? false }

  /// Whether a worker may name what it decodes once more. Time is nanoseconds of a monotonic clock.
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

  /// The title whose byte has become sound; nil where none was waited for there.
  mutating func take(_ offset: UInt64) -> String? {
    guard let place = waiting.firstIndex(where: { $0.offset == offset }) else { return nil }
    let found = waiting.remove(at: place)
    if past.count == Self.limit { past.removeFirst() }
    past.append(found)
    return found.title
  }

  /// Whether a byte is waited for.
  func awaits(_ offset: UInt64) -> Bool { waiting.contains { $0.offset == offset } }

  /// All that is known is waited for again, as its sound may come again.
  mutating func recall() {
    let all = (past + waiting).suffix(Self.limit)
    past = []
    waiting = Array(all)
  }
}
