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

/// Where the music stops although the queue would go on. It is asked for once, and over when the music has ended.
package enum StopPoint: UInt8, Hashable, Sendable, CaseIterable {
  /// The end of the track that is current then; the one behind it is next.
  case track = 1
  /// The end of the queue, whatever is repeated.
  case queue

  /// The name in commands.
  package var name: String {
    switch self {
    case .track: "track"
    case .queue: "queue"
    }
  }

  /// The one of that name; nil where there is none.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
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

  /// The name in settings.
  package var name: String {
    switch self {
    case .stopAndKeep: "stop"
    case .stopAndClear: "clear"
    case .repeat: "repeat"
    }
  }
}

/// Where a person's previous leads from the first track.
package enum BeforeFirst: UInt8, Hashable, Sendable, CaseIterable {
  /// To its beginning.
  case restart
  /// To a stop.
  case stop
}
