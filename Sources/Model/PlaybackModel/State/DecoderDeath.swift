// The death of a decoder, as the state machine learns of it. Pure values; control thread.

/// Which of the state's two tracks an event or an order is about.
package enum TrackRole: UInt8, Hashable, Sendable, CaseIterable {
  /// `PlayerState.currentTrack`; in a fade, the outgoing track.
  case current
  /// The track that comes next; in a fade, the incoming track.
  case next
}

/// A decoder process that crashed, was killed, or hung.
package struct DecoderDeath: Hashable, Sendable {
  /// Why it died.
  package var error: PlaybackError
  /// Deaths of this track's decoders, this one included, without `allowance` of sound heard in between.
  package var count: Int
  /// Whether a successor can still be in time: decoded sound is left to be heard, or silence is wanted meanwhile.
  package var isInTime: Bool

  /// A track whose decoder was restarted has another restart once it has been heard for this long.
  package static var allowance: Seconds { Seconds(600) }

  /// A death.
  package init(_ error: PlaybackError, count: Int, isInTime: Bool) {
    self.error = error
    self.count = count
    self.isInTime = isInTime
  }

  /// Whether the decoder is restarted: after its first death, in time, unless it tried to break out of its sandbox.
  package var isRestarted: Bool { count == 1 && isInTime && error.kind != .decoderBrokeSandbox }
}
