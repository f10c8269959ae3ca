// What a queue repeats, and what happens at its end. Pure values; any thread.

/// What the queue repeats.
package enum RepeatMode: UInt8, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case off
  /// The current track, until a person skips.
  case one
  /// The whole queue.
  case all

  /// The name in commands.
  package var name: String {
    switch self {
    case .off: "off"
    case .one: "one"
    case .all: "all"
    }
  }
}

/// What happens when the queue has been played to its end.
package enum EndOfQueue: UInt8, Hashable, Sendable, CaseIterable {
  /// Playing stops, the entries stay.
  case stopAndKeep
  /// Playing stops, the entries go.
  case stopAndClear
  /// It starts again, as with `RepeatMode.all`.
  case `repeat`
}
