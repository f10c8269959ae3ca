// A crossfade that has been decided but not started. A pure value; control thread.

/// A fade that waits for its next track or for its start frame.
package struct PlannedFade: Hashable, Sendable {
  /// Cause of the fade, which determines when it starts.
  package enum Trigger: UInt8, Hashable, Sendable, CaseIterable {
    /// The end of the track is near: once armed, the mixer starts it at its frame.
    case automatic
    /// The user skipped: it starts as soon as the next track is cued.
    case manual
  }

  /// Cause of the fade.
  package var trigger: Trigger
  /// Length and curve.
  package var fade: Fade
  /// Start position in the next track.
  package var start: Frames
  /// Whether the next track is cued and the fade is scheduled in the mixer.
  package var isArmed: Bool

  /// A waiting fade.
  package init(_ trigger: Trigger, _ fade: Fade, start: Frames = .zero, isArmed: Bool = false) {
    self.trigger = trigger
    self.fade = fade
    self.start = start
    self.isArmed = isArmed
  }
}
