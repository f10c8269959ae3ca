// How music makes room for an announcement. A pure value; any thread.

/// What the music does while an announcement sounds.
package enum AnnouncementDuck: Hashable, Sendable {
  /// It gets quieter by so many decibels, 0…60.
  case decibels(Int)
  /// It pauses, and resumes on its frame.
  case pause

  /// What is meant where nothing is said.
  package static var usual: AnnouncementDuck { .decibels(12) }

  /// The gain of music that sounds all the same.
  package var gain: Gain {
    switch self {
    case .decibels(let count): Gain(decibels: -Float(count))
    case .pause: Self.usual.gain
    }
  }
}
