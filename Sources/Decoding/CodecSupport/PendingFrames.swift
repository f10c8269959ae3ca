// Frames that a codec library delivered and the caller had no room for, and silence in the place of frames
// that were lost. Worker process only.

/// A queue of interleaved frames, silence first. The owner calls `deallocate`.
public struct PendingFrames {
  private var samples: UnsafeMutablePointer<Float>?
  private var capacity = 0
  private var first = 0
  private var silence = 0
  /// Frames in the queue behind its silence.
  public private(set) var count = 0

  /// Nothing is due.
  public var isEmpty: Bool { count == 0 && silence == 0 }

  /// An empty queue; memory comes with the first use.
  public init() {}

  /// Adds `frames` frames, which the caller writes to the address returned.
  public mutating func append(frames: Int, channels: Int) -> UnsafeMutablePointer<Float> {
    if count == 0 { first = 0 }
    let needed = (first + count + frames) * channels
    if let samples, needed <= capacity {
      defer { count += frames }
      return samples + (first + count) * channels
    }
    let grownCapacity = max((count + frames) * channels, capacity)
    let grown = UnsafeMutablePointer<Float>.allocate(capacity: grownCapacity)
    if let samples {
      Self.copy(samples + first * channels, to: grown, count: count * channels)
      samples.deallocate()
    }
    (samples, capacity, first) = (grown, grownCapacity, 0)
    defer { count += frames }
    return grown + count * channels
  }

  /// Puts silence before all that is queued.
  public mutating func prependSilence(frames: Int) { silence += frames }

  /// Puts silence behind all that is queued.
  public mutating func appendSilence(frames: Int, channels: Int) {
    guard count > 0 else {
      silence += frames
      return
    }
    append(frames: frames, channels: channels).update(repeating: 0, count: frames * channels)
  }

  /// Moves up to `frames` frames to `destination`: how many there were.
  public mutating func take(
    to destination: UnsafeMutablePointer<Float>, frames: Int, channels: Int
  ) -> Int {
    if silence > 0 {
      let taken = min(frames, silence)
      destination.update(repeating: 0, count: taken * channels)
      silence -= taken
      return taken
    }
    guard count > 0, let samples else { return 0 }
    let taken = min(frames, count)
    Self.copy(samples + first * channels, to: destination, count: taken * channels)
    first += taken
    count -= taken
    return taken
  }

  /// In bytes, because `update(from:count:)` copies sample by sample in Embedded Swift.
  private static func copy(
    _ source: UnsafeMutablePointer<Float>, to destination: UnsafeMutablePointer<Float>, count: Int
  ) {
    UnsafeMutableRawPointer(destination).copyMemory(
      from: source, byteCount: count * MemoryLayout<Float>.stride)
  }

  /// Forgets the content.
  public mutating func clear() { (count, silence) = (0, 0) }

  /// Returns the memory.
  public func deallocate() { samples?.deallocate() }
}
