// Decodes from a pipeline into a ring. Worker process only, one thread.

import AudioRing

/// Writes decoded frames into a ring's free space: directly, or through a small buffer if the ring stores
/// integers.
final class RingFiller {
  /// Size of the buffer in frames; a typical FLAC block.
  private static let maxCount = 4096

  private let pipeline: SectionPipeline
  private let between: UnsafeMutablePointer<Float>?

  init(_ pipeline: SectionPipeline, _ samples: RingSamples) {
    self.pipeline = pipeline
    between = samples.areIntegers ? .allocate(capacity: 2 * Self.maxCount) : nil
  }

  deinit { between?.deallocate() }

  /// Decodes up to `limit` frames, and at least one, into the ring. Does not publish them to the reader.
  ///
  /// - Parameters:
  ///   - ring: The ring; must have free space.
  ///   - limit: Maximum number of frames.
  /// - Returns: Number of frames; 0 at the end of the track.
  func fill(_ ring: borrowing RingWriter, limit: Int) throws(WorkerFailure) -> Int {
    let frames = max(1, min(ring.room, limit))
    guard let between else {
      guard let place = ring.contiguous().baseAddress else { return 0 }
      return try pipeline.produce(into: place, frames: frames)
    }
    let count = try pipeline.produce(into: between, frames: min(frames, Self.maxCount))
    ring.store(between, count: count)
    return count
  }
}
