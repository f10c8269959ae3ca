// A fade that is wanted but not yet heard. Pure value; control thread.

/// A fade between tracks that has been decided on and waits for the next track or for its moment.
public struct PlannedFade: Hashable, Sendable {
  /// What set it off, which decides when it begins.
  public enum Trigger: UInt8, Hashable, Sendable, CaseIterable {
    /// The end of the track is near: armed on the timeline, it begins by itself at its frame.
    case automatic
    /// A person skipped: armed as soon as the next track is cued, it begins at once.
    case manual
  }

  /// What set it off.
  public var trigger: Trigger
  /// Its length and shape.
  public var fade: Fade
  /// Where the next track starts.
  public var start: Frames
  /// Whether the next track is cued and the fade pinned to its frame.
  public var isArmed: Bool

  /// A fade that waits.
  public init(_ trigger: Trigger, _ fade: Fade, start: Frames = .zero, isArmed: Bool = false) {
    self.trigger = trigger
    self.fade = fade
    self.start = start
    self.isArmed = isArmed
  }
}
