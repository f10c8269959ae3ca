// The lengths and choices the machine decides by. Pure value; control thread.

/// What the machine decides by. Lengths are in seconds here and turned into frames at `rate`; those out of
/// bounds are brought within them where they are used.
package struct PlayerSettings: Hashable, Sendable {
  /// The engine's rate.
  package var rate: SampleRate
  /// Whether a person's skip fades, too.
  package var fadesManually = false
  /// How long a person's skip fades, 0…15 s.
  package var manualFadeLength = Seconds(2)
  /// How long what stands in for a silent station fades in, and how long it fades where skips do not.
  package var fallbackFadeLength = Seconds(2)
  /// How long one track fades into the next, 0…15 s; 0 means that they are joined.
  package var automaticFadeLength = Seconds(0)
  /// The shape of both.
  package var curve = FadeCurve.equalPower
  /// How long a stop takes, 0…15 s.
  package var stopFadeLength = Seconds(0.5)
  /// How long the sleep timer's stop takes, 0…120 s.
  package var sleepFadeLength = Seconds(20)
  /// Pause and resume.
  package var pauseRamp = Seconds(0.2)
  /// Every other edge.
  package var declickRamp = Seconds(0.008)
  /// A fade that a person's seek or skip cuts short, or that goes back because its next track failed.
  package var collapseRamp = Seconds(0.05)
  /// From this percentage on a paused fade finishes quickly when it is resumed.
  package var quickFinishThreshold = 50
  /// How long a quick finish takes.
  package var quickFinishLength = Seconds(1)
  /// What follows a recoverable failure.
  package var retrying = Retrying()

  /// The defaults at a rate.
  package init(rate: SampleRate = SampleRate(48000)) { self.rate = rate }

  /// The fade of a person's skip.
  package var manualFade: Fade { Fade(manualFadeLength, curve: curve, rate: rate) }
  /// The fade to and from what stands in for a silent station.
  package var fallbackFade: Fade {
    fadesManually ? manualFade : Fade(fallbackFadeLength, curve: curve, rate: rate)
  }
  /// The ramp with which that begins in silence.
  package var fallbackFrames: Frames { frames(fallbackFadeLength, atMost: 15) }
  /// The fade at a track's end.
  package var automaticFade: Fade { Fade(automaticFadeLength, curve: curve, rate: rate) }
  /// The ramp of pause and resume, in frames; never shorter than a de-click.
  package var pauseFrames: Frames { max(frames(pauseRamp, atMost: 5), declickFrames) }
  /// The ramp of every other edge, in frames.
  package var declickFrames: Frames { frames(declickRamp, atMost: 1) }
  /// The ramp of a fade that is cut short, in frames.
  package var collapseFrames: Frames { frames(collapseRamp, atMost: 1) }
  /// A stop's ramp, in frames; never shorter than a de-click.
  package var stopFrames: Frames { max(frames(stopFadeLength, atMost: 15), declickFrames) }
  /// The sleep timer's ramp, in frames; never shorter than a de-click.
  package var sleepFrames: Frames { max(frames(sleepFadeLength, atMost: 120), declickFrames) }
  /// A quick finish, in frames.
  package var quickFinishFrames: Frames { frames(quickFinishLength, atMost: 15) }

  /// How often, and after which waits, a recoverable failure is tried again.
  package struct Retrying: Hashable, Sendable {
    /// The wait before the first retry; each further wait is twice as long.
    package var first = Seconds(1)
    /// The longest wait between retries.
    package var longest = Seconds(60)
    /// After this many retries of one track in a row the queue moves on. A missing output is retried for ever.
    package var limit = 5
  }

  private func frames(_ length: Seconds, atMost limit: Double) -> Frames {
    rate.frames(Seconds(length.value > 0 ? min(length.value, limit) : 0))
  }
}
