// Rules for tracks whose decoder has died. Pure; control thread.

extension Rules {
  /// Keeps the track: its decoder is restarted, or the decoded audio is played to its end.
  func outlive(_ death: DecoderDeath, _ role: TrackRole = .current) -> Step {
    .stay([death.isRestarted ? .restartDecoder(role) : .endDecoder(role)])
  }

  /// For a silent track: its decoder is restarted, or the track fails.
  func outlive(_ death: DecoderDeath, _ track: Track, at position: Frames, _ intent: Intent) -> Step {
    death.isRestarted ? .stay([.restartDecoder(.current)]) : fail(death.error, track, at: position, intent)
  }
}
