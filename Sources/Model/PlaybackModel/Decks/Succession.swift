// What follows the current track, as queue and settings want it now. Pure value; control thread.

/// The track that the queue wants after the current one, and how the two meet.
package struct Succession: Hashable, Sendable {
  /// How the current track's end and the next one's beginning meet.
  package enum Join: Hashable, Sendable {
    /// Not known before the next track's decoder has told its tags and length.
    case undecided
    /// On the frame after the last.
    case gapless
    /// After the end, over a ramp: the next track goes on in its middle.
    case afterEnd
    /// Faded into each other before the end.
    case faded(Fade)
  }

  /// The next track.
  package var next: Track
  /// How it follows.
  package var join: Join

  /// A succession that was decided on.
  package init(_ next: Track, _ join: Join) {
    self.next = next
    self.join = join
  }

  /// How `next`, which is cued at `start`, follows `current`.
  /// - Parameters:
  ///   - knowsEnd: Whether the current track's end is known, so that a fade can be placed before it.
  ///   - fadesAlbums: Whether tracks of one album fade into each other, too, instead of being joined.
  package init(
    of current: Track, to next: Track, at start: Frames, knowsEnd: Bool, fadesAlbums: Bool,
    settings: PlayerSettings
  ) {
    self.next = next
    let fade = settings.automaticFade.clipped(from: current, to: next)
    let belongsTogether = !fadesAlbums && next.joinsGaplessly(after: current)
    // A fade shorter than the ramp of a cut is no better than a join.
    if fade.length > .zero, fade.length >= settings.declickFrames, !belongsTogether, knowsEnd {
      join = .faded(fade)
    } else {
      join = start == .zero ? .gapless : .afterEnd
    }
  }
}
