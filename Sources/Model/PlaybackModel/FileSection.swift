// A part of a file that is a track of its own, as cue sheets name them. A pure value; any thread.

/// From where to where in a file a track goes. Counted in frames of a compact disc, 1/75 s each, so that sections that
/// meet in these also meet in samples, at every rate.
package struct FileSection: Hashable, Sendable {
  /// In a second.
  package static let framesPerSecond: Int64 = 75
  /// The last there can be: a hundred hours.
  package static let limit = 100 * 3600 * 75

  /// The first frame.
  package let start: Int
  /// The frame after the last one; nil where the file ends.
  package let end: Int?

  /// A section that is not empty and within `limit`; nil otherwise.
  package init?(start: Int, end: Int?) {
    guard start >= 0, start < Self.limit else { return nil }
    if let end { guard end > start, end <= Self.limit else { return nil } }
    self.start = start
    self.end = end
  }

  /// The sample frame at `rate` that is nearest to one of a disc: 588 each at 44100 Hz.
  package static func frame(_ frame: Int, at rate: SampleRate) -> Frames {
    Frames((Int64(frame) * Int64(rate.hertz) + framesPerSecond / 2) / framesPerSecond)
  }

  /// Whether this one begins where `other` ends.
  package func follows(_ other: FileSection) -> Bool { other.end == start }
}
