// Volume, mono, speaker correction, ReplayGain, and the box's cue sounds. Control thread only.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Sets the volume and, if given, its curve. The gain follows within 20 ms, or at once in silence.
  ///
  /// - Parameters:
  ///   - volume: The volume.
  ///   - curve: The mapping from volume to gain; nil: unchanged.
  package func setVolume(_ volume: Volume, curve: VolumeCurve? = nil) {
    self.volume = volume
    if let curve { volumeCurve = curve }
    flight?.note(volume)
    decks.sender.send(.setVolume(volume.gain(volumeCurve), ramp: rate.frames(Seconds(0.02))))
    tuning.follow(volume)
    decks.sender.flush()
    observer?.playerDidChange(self)
  }

  /// Sends the same sum to both channels, or restores stereo; with a de-click ramp.
  package func setMono(_ isMono: Bool) {
    decks.sender.send(.setMono(isMono))
    decks.sender.flush()
  }

  /// Sets the speaker correction, with a 30 ms transition or, in silence, at once.
  package func setCorrection(_ correction: SpeakerCorrection) {
    tuning.adopt(correction, volume: volume)
    decks.sender.flush()
  }

  /// The present speaker correction.
  package var correction: SpeakerCorrection { tuning.correction }

  /// Plays one of the box's cue sounds over the music; starts an idle output. Does nothing while the audio thread is
  /// overloaded.
  package func playCue(_ sound: CueSound, gain: Gain) {
    guard !isOverloaded else { return }
    decks.sender.send(.playCue(sound, gain: gain))
    // Deferred to the next turn, so that all commands of one event are flushed together.
    settling.runSoon()
  }

  /// How ReplayGain tags are used, starting with the next track.
  package var replayGain: ReplayGain {
    get { decks.replayGain }
    set { decks.replayGain = newValue }
  }
}
