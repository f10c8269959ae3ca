// What becomes of a track whose decoder has died. Pure; control thread.

extension Rules {
  /// A dead decoder's track stays in place: its decoder is restarted, or what was decoded is heard to its end.
  func outlive(_ death: DecoderDeath, _ role: TrackRole = .current) -> Step {
    .stay([death.isRestarted ? .restartDecoder(role) : .endDecoder(role)])
  }

  /// A dead decoder's track of which no sound is to be heard: its decoder is restarted, or it fails.
  func outlive(_ death: DecoderDeath, _ track: Track, at position: Frames, _ intent: Intent) -> Step {
    death.isRestarted ? .stay([.restartDecoder(.current)]) : fail(death.error, track, at: position, intent)
  }
}
