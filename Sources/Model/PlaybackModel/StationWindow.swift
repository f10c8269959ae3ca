// What of a station can be gone to: its past as far as it is kept, and its present. A pure value; any thread.

/// The stretch of a station that is kept, in frames of its track.
package struct StationWindow: Hashable, Sendable {
  /// An end of the stretch.
  package enum Edge: Hashable, Sendable { case oldest, live }

  /// The oldest frame that is kept, about.
  package let oldest: Frames
  /// The newest one that has come.
  package let newest: Frames
  /// How much of the station has not come, because its server had to wait or was lost.
  package let lag: Frames

  /// A stretch; what is newer than the oldest counts.
  package init(oldest: Frames, newest: Frames, lag: Frames) {
    self.oldest = min(oldest, newest)
    self.newest = newest
    self.lag = max(.zero, lag)
  }

  /// Where the station is now.
  package var live: Frames { newest + lag }

  /// How far a frame is behind the station's present.
  package func behindLive(_ position: Frames) -> Frames { max(.zero, live - position) }

  /// Where a seek leads, and at which end of what is kept that is; nil between them.
  package func target(_ wanted: Frames) -> (position: Frames, edge: Edge?) {
    if wanted > newest { return (live, .live) }
    if wanted < oldest { return (oldest, .oldest) }
    return (wanted, nil)
  }
}
