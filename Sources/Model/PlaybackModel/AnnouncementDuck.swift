// How music is ducked during an announcement. A pure value; any thread.

/// Treatment of the music during an announcement.
package enum AnnouncementDuck: Hashable, Sendable {
  /// Attenuated by 0 to 60 dB.
  case decibels(Int)
  /// Paused, and resumed at the same frame.
  case pause

  /// The default.
  package static var usual: AnnouncementDuck { .decibels(12) }

  /// Gain of the music. If it cannot be paused, the default attenuation applies.
  package var gain: Gain {
    switch self {
    case .decibels(let count): Gain(decibels: -Float(count))
    case .pause: Self.usual.gain
    }
  }
}
