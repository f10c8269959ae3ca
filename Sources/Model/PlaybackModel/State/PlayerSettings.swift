// Settings of the state machine: fade lengths, ramps and retry policy. A pure value; control thread.

/// Settings of the state machine. Lengths are in seconds and converted to frames at `rate`; values out of range are
/// clamped on use.
package struct PlayerSettings: Hashable, Sendable {
  /// The engine's sample rate.
  package var rate: SampleRate
  /// Whether skips by the user use a crossfade.
  package var fadesManually = false
  /// Length of the crossfade at a skip, 0…15 s.
  package var manualFadeLength = Seconds(2)
  /// Length of fades to and from the fallback of a silent stream, if skips do not use a crossfade.
  package var fallbackFadeLength = Seconds(2)
  /// Length of the crossfade between tracks, 0…15 s; 0 means gapless joins.
  package var automaticFadeLength = Seconds(0)
  /// Curve of all crossfades.
  package var curve = FadeCurve.equalPower
  /// Length of the fade-out at a stop, 0…15 s.
  package var stopFadeLength = Seconds(0.5)
  /// Length of the sleep timer's fade-out, 0…120 s.
  package var sleepFadeLength = Seconds(20)
  /// Length of the ramp at pause and resume.
  package var pauseRamp = Seconds(0.2)
  /// Length of every further ramp against clicks.
  package var declickRamp = Seconds(0.008)
  /// Length of the ramp when a seek or skip cuts a fade short, or its next track fails.
  package var collapseRamp = Seconds(0.05)
  /// Progress in percent from which a paused fade finishes quickly when resumed.
  package var quickFinishThreshold = 50
  /// Length of a quick finish.
  package var quickFinishLength = Seconds(1)
  /// Retry policy for recoverable failures.
  package var retrying = Retrying()

  /// Default settings for a sample rate.
  package init(rate: SampleRate = SampleRate(48000)) { self.rate = rate }

  /// The crossfade at a skip.
  package var manualFade: Fade { Fade(manualFadeLength, curve: curve, rate: rate) }
  /// The crossfade to and from the fallback of a silent stream.
  package var fallbackFade: Fade {
    fadesManually ? manualFade : Fade(fallbackFadeLength, curve: curve, rate: rate)
  }
  /// The ramp in frames with which the fallback starts from silence.
  package var fallbackFrames: Frames { frames(fallbackFadeLength, atMost: 15) }
  /// The crossfade at a track's end.
  package var automaticFade: Fade { Fade(automaticFadeLength, curve: curve, rate: rate) }
  /// The ramp of pause and resume in frames; at least `declickFrames`.
  package var pauseFrames: Frames { max(frames(pauseRamp, atMost: 5), declickFrames) }
  /// The ramp against clicks in frames.
  package var declickFrames: Frames { frames(declickRamp, atMost: 1) }
  /// The ramp of a fade that is cut short, in frames.
  package var collapseFrames: Frames { frames(collapseRamp, atMost: 1) }
  /// The fade-out of a stop in frames; at least `declickFrames`.
  package var stopFrames: Frames { max(frames(stopFadeLength, atMost: 15), declickFrames) }
  /// The sleep timer's fade-out in frames; at least `declickFrames`.
  package var sleepFrames: Frames { max(frames(sleepFadeLength, atMost: 120), declickFrames) }
  /// The length of a quick finish in frames.
  package var quickFinishFrames: Frames { frames(quickFinishLength, atMost: 15) }

  /// Retry policy for recoverable failures.
  package struct Retrying: Hashable, Sendable {
    /// Delay before the first retry; it doubles with each further one.
    package var first = Seconds(1)
    /// Maximum delay between retries.
    package var longest = Seconds(60)
    /// Maximum consecutive retries of a track before the queue advances. A missing output is retried indefinitely.
    package var limit = 5
  }

  private func frames(_ length: Seconds, atMost limit: Double) -> Frames {
    rate.frames(Seconds(length.value > 0 ? min(length.value, limit) : 0))
  }
}
