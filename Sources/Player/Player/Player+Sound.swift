// How loud and in how many channels it is heard, and the box's own sounds. Control thread only.

import Flight
import PlaybackModel
import Platform
import RealtimeAudio

extension Player {
  /// Sets the knob and, where one is given, the curve; the gain follows within 20 ms, or at once where nothing is heard.
  package func setVolume(_ volume: Volume, curve: VolumeCurve? = nil) {
    self.volume = volume
    if let curve { volumeCurve = curve }
    flight?.note(volume)
    decks.sender.send(.setVolume(volume.gain(volumeCurve), ramp: rate.frames(Seconds(0.02))))
    tuning.follow(volume)
    decks.sender.flush()
    observer?.playerDidChange(self)
  }

  /// Mixes both channels to the same sum, or leaves them as they are; over a de-click ramp.
  package func setMono(_ isMono: Bool) {
    decks.sender.send(.setMono(isMono))
    decks.sender.flush()
  }

  /// Corrects the sound for the speaker, over 30 ms or, where nothing is heard, at once.
  package func setCorrection(_ correction: SpeakerCorrection) {
    tuning.adopt(correction, volume: volume)
    decks.sender.flush()
  }

  /// How the sound is corrected for the speaker.
  package var correction: SpeakerCorrection { tuning.correction }

  /// Plays one of the box's own sounds over whatever is heard; it starts the output if that is at rest. Does nothing
  /// where the audio thread is held up.
  package func playCue(_ sound: CueSound, gain: Gain) {
    guard !isOverloaded else { return }
    decks.sender.send(.playCue(sound, gain: gain))
    // Not at once: the commands of one event go together.
    settling.runSoon()
  }

  /// How tags' loudness is used; from the next track on.
  package var replayGain: ReplayGain {
    get { decks.replayGain }
    set { decks.replayGain = newValue }
  }
}
