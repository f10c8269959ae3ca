// Live sources: heard in the place of music, which stands still meanwhile. Control thread only; never waits.

import PlaybackModel

extension Player {
  /// The live source that sounds, or is about to; nil for none.
  package var liveInputName: String? { decks.liveInputs.sound?.name }

  /// Whether something is heard that is no music: an announcement or a live source.
  package var soundsBesides: Bool { !announcements.isEmpty || liveInputName != nil }

  /// Told of what becomes of a live source's sound, by the source's name.
  package var onLiveInput: (String, LiveInputOutcome) -> Void {
    get { decks.liveInputs.onOutcome }
    set { decks.liveInputs.onOutcome = newValue }
  }

  /// Has a live source sound: music is held on its frame, and goes on when the source is over.
  ///
  /// - Returns: False without an output to be heard on.
  package func host(_ sound: LiveSound) -> Bool {
    takeReports()
    guard !machine.outputIsLost else { return false }
    decks.liveInputs.host(sound)
    settling.runSoon()
    return true
  }

  /// Ends the live source's sound, because it has stopped by itself or for another reason.
  package func endLiveInput(_ outcome: LiveInputOutcome) {
    takeReports()
    decks.liveInputs.finish(outcome)
    settling.runSoon()
  }
}
