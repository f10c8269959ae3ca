// From a pipeline into a ring. Worker only, one thread.

import AudioRing

/// Decodes into a ring's free space: straight into it, or by way of a few frames in between where the ring holds integers.
final class RingFiller {
  /// Frames in between: a block of FLAC as a rule.
  private static let maxCount = 4096

  private let pipeline: SectionPipeline
  private let between: UnsafeMutablePointer<Float>?

  init(_ pipeline: SectionPipeline, _ samples: RingSamples) {
    self.pipeline = pipeline
    between = samples.areIntegers ? .allocate(capacity: 2 * Self.maxCount) : nil
  }

  deinit { between?.deallocate() }

  /// Puts up to `limit` frames, and at least one, where the ring's next ones go, in a ring that has room. The ring does not know of
  /// them yet.
  ///
  /// - Returns: How many; 0 at the end of the track.
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
