// A fade that is wanted but not yet heard. Pure value; control thread.

/// A fade between tracks that has been decided on and waits for the next track or for its moment.
package struct PlannedFade: Hashable, Sendable {
  /// What set it off, which decides when it begins.
  package enum Trigger: UInt8, Hashable, Sendable, CaseIterable {
    /// The end of the track is near: armed on the timeline, it begins by itself at its frame.
    case automatic
    /// A person skipped: armed as soon as the next track is cued, it begins at once.
    case manual
  }

  /// What set it off.
  package var trigger: Trigger
  /// Its length and shape.
  package var fade: Fade
  /// Where the next track starts.
  package var start: Frames
  /// Whether the next track is cued and the fade pinned to its frame.
  package var isArmed: Bool

  /// A fade that waits.
  package init(_ trigger: Trigger, _ fade: Fade, start: Frames = .zero, isArmed: Bool = false) {
    self.trigger = trigger
    self.fade = fade
    self.start = start
    self.isArmed = isArmed
  }
}
