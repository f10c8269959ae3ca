// A section of a file that is a track of its own, as in cue sheets. A pure value; any thread.

/// Start and end of a track within a file, in frames of a compact disc (1/75 s).
///
/// With these units, adjacent sections are also adjacent in samples at every sample rate.
package struct FileSection: Hashable, Sendable {
  /// CD frames per second.
  package static let framesPerSecond: Int64 = 75
  /// Largest position in CD frames: 100 hours.
  package static let limit = 100 * 3600 * 75

  /// The first CD frame.
  package let start: Int
  /// The CD frame after the last one; nil for the end of the file.
  package let end: Int?

  /// A section; nil if it is empty or exceeds `limit`.
  package init?(start: Int, end: Int?) {
    guard start >= 0, start < Self.limit else { return nil }
    if let end { guard end > start, end <= Self.limit else { return nil } }
    self.start = start
    self.end = end
  }

  /// The sample frame at `rate` that is nearest to a CD frame; 588 sample frames per CD frame at 44100 Hz.
  package static func frame(_ frame: Int, at rate: SampleRate) -> Frames {
    Frames((Int64(frame) * Int64(rate.hertz) + framesPerSecond / 2) / framesPerSecond)
  }

  /// Whether this section starts where `other` ends.
  package func follows(_ other: FileSection) -> Bool { other.end == start }
}
