// Repeat mode, stop point, and end policies of the queue. Pure values; any thread.

/// What is repeated.
package enum RepeatMode: UInt8, Hashable, Sendable, CaseIterable {
  /// Nothing.
  case off
  /// The current track, until the user skips it.
  case one
  /// The whole queue.
  case all

  /// Name in commands.
  package var name: String {
    switch self {
    case .off: "off"
    case .one: "one"
    case .all: "all"
    }
  }
}

/// Where playback stops although the queue continues. It is requested once and cleared when it takes effect.
package enum StopPoint: UInt8, Hashable, Sendable, CaseIterable {
  /// The end of the current track; the track after it is next.
  case track = 1
  /// The end of the queue, regardless of the repeat mode.
  case queue

  /// Name in commands.
  package var name: String {
    switch self {
    case .track: "track"
    case .queue: "queue"
    }
  }

  /// The stop point with a name; nil if there is none.
  package init?(name: String) {
    guard let found = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }
}

/// Policy at the end of the queue.
package enum EndOfQueue: UInt8, Hashable, Sendable, CaseIterable {
  /// Playback stops; the entries stay.
  case stopAndKeep
  /// Playback stops; the entries are removed.
  case stopAndClear
  /// Playback restarts, as with `RepeatMode.all`.
  case `repeat`

  /// Name in settings.
  package var name: String {
    switch self {
    case .stopAndKeep: "stop"
    case .stopAndClear: "clear"
    case .repeat: "repeat"
    }
  }
}

/// What the previous command does at the first track.
package enum BeforeFirst: UInt8, Hashable, Sendable, CaseIterable {
  /// Restarts the track.
  case restart
  /// Stops.
  case stop
}
