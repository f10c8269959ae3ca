// Rules that a simulation run may violate, and their names in reports. Pure values; any thread.

/// Violation of a rule.
package struct Violation: Error, Equatable, Sendable {
  /// Rules; the raw value is the name in reports.
  package enum Rule: String, CaseIterable, Sendable {
    /// Frames of a track are missing.
    case lostFrames = "lost-frames"
    /// Frames of a track are repeated.
    case repeatedFrames = "repeated-frames"
    /// A track other than the ones allowed is heard.
    case wrongTrack = "wrong-track"
    /// The output matches no track at any gain.
    case unexplained
    /// A ring was read or written after it was returned.
    case releasedRing = "released-ring"
    /// The gain changes abruptly.
    case click
    /// The gain differs from the volume in steady state.
    case gain
    /// The gains of a fade are off its curve.
    case curve
    /// A fade is slower than announced, or faster without a request.
    case pace
    /// A fade does not begin on its frame.
    case fadeStart = "fade-start"
    /// A track is cut off while audible.
    case cut
    /// There is a gap between two tracks that should join.
    case gap
    /// A removed track is heard longer than its ramp or fade.
    case removed
    /// Sound in a state that has none.
    case soundInSilence = "sound-in-silence"
    /// Silence in a state that has sound.
    case silenceInSound = "silence-in-sound"
    /// The state names a track other than the one heard.
    case stateTrack = "state-track"
    /// A reported position is ahead of the sound.
    case positionAhead = "position-ahead"
    /// The position of a cued, unheard track moves.
    case cuedPosition = "cued-position"
    /// A reported position is far behind the sound.
    case positionBehind = "position-behind"
    /// Sound that was not requested.
    case unasked
    /// A request without an effect.
    case unanswered
    /// Another track or position than the requested one.
    case wrongTarget = "wrong-target"
    /// A waiting state that does not end.
    case stuck
    /// The player rejected a report of its own parts.
    case contradiction
    /// A state whose contents contradict each other.
    case invalidState = "invalid-state"
    /// More decoders, descriptors or timers than allowed.
    case resources
    /// `status` differs from the state.
    case status
    /// The LED differs from the state.
    case light
    /// A line was not answered exactly once in time.
    case answers
    /// The output is louder than allowed.
    case loudness
    /// A press without an effect, or with a late one.
    case press
    /// The restored state differs from the one before the power cut.
    case memory
    /// A cue that is due is missing, or one sounds that is not due.
    case cue
    /// A live input that should be heard is missing, or the reverse.
    case source
    /// A track is reported as over whose last frame was not heard.
    case over
    /// A fade continues although its incoming track has failed permanently.
    case fadeLost = "fade-lost"
    /// The control thread spins: it works without pause.
    case spin
  }

  /// The violated rule.
  package let rule: Rule
  /// Simulated time in nanoseconds.
  package let time: UInt64
  /// Expected condition.
  package let expected: String
  /// Observed condition.
  package let found: String

  /// Creates a violation.
  package init(_ rule: Rule, at time: UInt64, expected: String, found: String) {
    self.rule = rule
    self.time = time
    self.expected = expected
    self.found = found
  }
}
