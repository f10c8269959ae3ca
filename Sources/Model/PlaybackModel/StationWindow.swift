// The seekable window of a radio stream: its buffered past and its live position. A pure value; any thread.

/// The buffered part of a radio stream, in frames of its track.
package struct StationWindow: Hashable, Sendable {
  /// An end of the window.
  package enum Edge: Hashable, Sendable { case oldest, live }

  /// The oldest buffered frame, approximately.
  package let oldest: Frames
  /// The newest frame received.
  package let newest: Frames
  /// How far reception is behind live, because of a stall or a lost connection.
  package let lag: Frames

  /// A window; `oldest` is limited to `newest`, and `lag` to zero or more.
  package init(oldest: Frames, newest: Frames, lag: Frames) {
    self.oldest = min(oldest, newest)
    self.newest = newest
    self.lag = max(.zero, lag)
  }

  /// The live position.
  package var live: Frames { newest + lag }

  /// How far a frame is behind live.
  package func behindLive(_ position: Frames) -> Frames { max(.zero, live - position) }

  /// The position that a seek reaches, and the edge to which it was clamped; nil within the window.
  package func target(_ wanted: Frames) -> (position: Frames, edge: Edge?) {
    if wanted > newest { return (live, .live) }
    if wanted < oldest { return (oldest, .oldest) }
    return (wanted, nil)
  }
}
