// The next track and its join with the current one, from queue and settings. A pure value; control thread.

/// The next track of the queue and its join with the current one.
package struct Succession: Hashable, Sendable {
  /// The join between the current track's end and the next one's start.
  package enum Join: Hashable, Sendable {
    /// Undecided until the next track's decoder has reported tags and length.
    case undecided
    /// The next track starts at the frame after the last one.
    case gapless
    /// The next track starts after the end, with a ramp, because it starts in its middle.
    case afterEnd
    /// A crossfade before the end.
    case faded(Fade)
  }

  /// The next track.
  package var next: Track
  /// The join.
  package var join: Join

  /// A succession with a known join.
  package init(_ next: Track, _ join: Join) {
    self.next = next
    self.join = join
  }

  /// Decides the join between two tracks.
  ///
  /// - Parameters:
  ///   - current: The current track.
  ///   - next: The next track.
  ///   - start: Position at which `next` is cued.
  ///   - knowsEnd: Whether the current track's end is known, so that a fade can be placed before it.
  ///   - fadesAlbums: Whether to crossfade tracks of one album, too, instead of joining them without a gap.
  ///   - settings: The player's settings.
  package init(
    of current: Track, to next: Track, at start: Frames, knowsEnd: Bool, fadesAlbums: Bool,
    settings: PlayerSettings
  ) {
    self.next = next
    let fade = settings.automaticFade.clipped(from: current, to: next)
    let belongsTogether = !fadesAlbums && next.joinsGaplessly(after: current)
    // A fade shorter than the ramp against clicks has no advantage over a gapless join.
    if fade.length > .zero, fade.length >= settings.declickFrames, !belongsTogether, knowsEnd {
      join = .faded(fade)
    } else {
      join = start == .zero ? .gapless : .afterEnd
    }
  }
}
