// The player's interface for live sources, which play while the music is held. Control thread only; never blocks.

import PlaybackModel

extension Player {
  /// The name of the live source that is playing or about to play; nil for none.
  package var liveInputName: String? { decks.liveInputs.sound?.name }

  /// Whether an announcement or a live source is playing or pending.
  package var soundsBesides: Bool { !announcements.isEmpty || liveInputName != nil }

  /// Called with a live source's name and what happened to its sound.
  package var onLiveInput: (String, LiveInputOutcome) -> Void {
    get { decks.liveInputs.onOutcome }
    set { decks.liveInputs.onOutcome = newValue }
  }

  /// Plays a live source. The music is held at its present frame and resumes when the source ends.
  ///
  /// - Returns: False if the output is missing.
  package func host(_ sound: LiveSound) -> Bool {
    takeReports()
    guard !machine.outputIsLost else { return false }
    decks.liveInputs.host(sound)
    settling.runSoon()
    return true
  }

  /// Ends the live source's sound, with a reason for the `onLiveInput` callback.
  package func endLiveInput(_ outcome: LiveInputOutcome) {
    takeReports()
    decks.liveInputs.finish(outcome)
    settling.runSoon()
  }
}
