// The failure of a decoder process, as input to the state machine. Pure values; control thread.

/// Which of the state's two tracks an event or effect concerns.
package enum TrackRole: UInt8, Hashable, Sendable, CaseIterable {
  /// `PlayerState.currentTrack`; in a fade, the outgoing track.
  case current
  /// The next track; in a fade, the incoming track.
  case next
}

/// A decoder process that crashed, hung, or was killed.
package struct DecoderDeath: Hashable, Sendable {
  /// The error.
  package var error: PlaybackError
  /// Number of consecutive failures of this track's decoders, including this one, without `allowance` of playback
  /// between them.
  package var count: Int
  /// Whether a new decoder can be in time: decoded audio remains to be played, or the player is silent.
  package var isInTime: Bool

  /// Playback time after which a restarted decoder may be restarted again.
  package static var allowance: Seconds { Seconds(600) }

  /// A failure.
  package init(_ error: PlaybackError, count: Int, isInTime: Bool) {
    self.error = error
    self.count = count
    self.isInTime = isInTime
  }

  /// Whether to restart the decoder: after the first failure, if in time, and not after a sandbox violation.
  package var isRestarted: Bool { count == 1 && isInTime && error.kind != .decoderBrokeSandbox }
}
