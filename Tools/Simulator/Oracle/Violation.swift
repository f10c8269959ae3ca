// What a run can do wrong, and the words for it. Pure values; any thread.

/// A rule that was broken.
package struct Violation: Error, Equatable, Sendable {
  /// The rules. Their raw values are their names in reports.
  package enum Rule: String, CaseIterable, Sendable {
    /// Frames of a track were left out.
    case lostFrames = "lost-frames"
    /// Frames of a track were heard again.
    case repeatedFrames = "repeated-frames"
    /// A track was heard that had no business there.
    case wrongTrack = "wrong-track"
    /// Something was heard that is no frame of any track at any gain.
    case unexplained
    /// A ring was heard, or written to, that had been given back.
    case releasedRing = "released-ring"
    /// The gain stepped.
    case click
    /// A gain is another than the volume while nothing moves.
    case gain
    /// The gains of a fade are not on its curve.
    case curve
    /// A fade was made slower, or faster without being asked to.
    case pace
    /// A fade did not begin on its frame.
    case fadeStart = "fade-start"
    /// A track of a fade, or in play, was cut while it was heard.
    case cut
    /// Two tracks that should be joined have a gap.
    case gap
    /// A track that was removed from the queue is heard for longer than its ramp or fade.
    case removed
    /// Something is heard that the state does not tell of.
    case soundInSilence = "sound-in-silence"
    /// Nothing is heard although the state says so.
    case silenceInSound = "silence-in-sound"
    /// The state names another track than the one that is heard.
    case stateTrack = "state-track"
    /// A position ahead of what was heard.
    case positionAhead = "position-ahead"
    /// A track that is cued and not heard has a position that moves.
    case cuedPosition = "cued-position"
    /// A position far behind what was heard.
    case positionBehind = "position-behind"
    /// Something sounds although nobody asked for it.
    case unasked
    /// Something was asked for and does not come.
    case unanswered
    /// Another track or place than the one that was asked for.
    case wrongTarget = "wrong-target"
    /// A state that waits, and for nothing.
    case stuck
    /// The player rejected a report of its own parts.
    case contradiction
    /// A state whose contents contradict each other.
    case invalidState = "invalid-state"
    /// More decoders, descriptors or timers than there may be.
    case resources
    /// `status` tells something else than what is.
    case status
    /// The light shows something else than the state.
    case light
    /// A line was not answered once, and soon.
    case answers
    /// Louder than it may be.
    case loudness
    /// A press without effect, or with a late one.
    case press
    /// Something else came back after a loss of power than was there before it.
    case memory
    /// A sound of the box's own that was due and is not heard, or one that nobody asked for.
    case cue
    /// A live source that should be heard and is not, or the other way round.
    case source
    /// A track is said to be over whose last frame was not heard.
    case over
    /// A fade goes on though nothing more comes of its incoming track.
    case fadeLost = "fade-lost"
    /// The control side did without pause what should take a moment.
    case spin
  }

  /// Which rule.
  package let rule: Rule
  /// Simulated nanoseconds.
  package let time: UInt64
  /// What should have been.
  package let expected: String
  /// What was.
  package let found: String

  /// A violation.
  package init(_ rule: Rule, at time: UInt64, expected: String, found: String) {
    self.rule = rule
    self.time = time
    self.expected = expected
    self.found = found
  }
}
