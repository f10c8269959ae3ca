// Frames that a codec library delivered and the caller had no room for. Worker process only.

/// A queue of interleaved frames that is filled at once when empty and taken from piecemeal. The owner
/// calls `deallocate`.
public struct LeftoverFrames {
  private var samples: UnsafeMutablePointer<Float>?
  private var capacity = 0
  private var first = 0
  private var count = 0

  /// An empty queue; memory comes with the first use.
  public init() {}

  /// Replaces the content by `frames` frames that the caller writes to the address returned.
  public mutating func makeSpace(frames: Int, channels: Int) -> UnsafeMutablePointer<Float> {
    (first, count) = (0, frames)
    if let samples, capacity >= frames * channels { return samples }
    samples?.deallocate()
    capacity = frames * channels
    let grown = UnsafeMutablePointer<Float>.allocate(capacity: capacity)
    samples = grown
    return grown
  }

  /// Moves up to `frames` frames to `destination`: how many there were.
  public mutating func take(
    to destination: UnsafeMutablePointer<Float>, frames: Int, channels: Int
  ) -> Int {
    guard count > 0, let samples else { return 0 }
    let taken = min(frames, count)
    destination.update(from: samples + first * channels, count: taken * channels)
    first += taken
    count -= taken
    return taken
  }

  /// Forgets the content.
  public mutating func clear() { count = 0 }

  /// Returns the memory.
  public func deallocate() { samples?.deallocate() }
}
