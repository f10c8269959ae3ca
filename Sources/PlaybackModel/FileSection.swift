// A part of a file that is a track of its own, as cue sheets name them. A pure value; any thread.

/// From where to where in a file a track goes. Counted in frames of a compact disc, 1/75 s each, so that sections that
/// meet in these also meet in samples, at every rate.
public struct FileSection: Hashable, Sendable {
  /// In a second.
  public static let framesPerSecond: Int64 = 75
  /// The last there can be: a hundred hours.
  public static let limit = 100 * 3600 * 75

  /// The first frame.
  public let start: Int
  /// The frame after the last one; nil where the file ends.
  public let end: Int?

  /// A section that is not empty and within `limit`; nil otherwise.
  public init?(start: Int, end: Int?) {
    guard start >= 0, start < Self.limit else { return nil }
    if let end { guard end > start, end <= Self.limit else { return nil } }
    self.start = start
    self.end = end
  }

  /// The sample frame at `rate` that is nearest to one of a disc: 588 each at 44100 Hz.
  public static func frame(_ frame: Int, at rate: SampleRate) -> Frames {
    Frames((Int64(frame) * Int64(rate.hertz) + framesPerSecond / 2) / framesPerSecond)
  }

  /// Whether this one begins where `other` ends.
  public func follows(_ other: FileSection) -> Bool { other.end == start }
}
