// A queue for decoded frames that do not fit into the caller's buffer, and for silence in place of lost
// frames. Worker process only.

/// A queue of interleaved frames that may begin with silence. The owner must call `deallocate`.
///
/// ```swift
/// var pending = PendingFrames()
/// pending.append(frames: 2, channels: 1).update(from: [0.5, -0.5], count: 2)
/// let written = pending.take(to: samples, frames: 512, channels: 1)  // 2
/// ```
public struct PendingFrames {
  private var samples: UnsafeMutablePointer<Float>?
  private var capacity = 0
  private var first = 0
  private var silence = 0
  /// Number of queued frames, without the leading silence.
  public private(set) var count = 0

  /// Whether neither frames nor silence are queued.
  public var isEmpty: Bool { count == 0 && silence == 0 }

  /// Creates an empty queue. Memory is allocated on first use.
  public init() {}

  /// Appends uninitialised frames.
  ///
  /// - Returns: The address that the caller fills with `frames * channels` samples.
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

  /// Inserts silence before the queued frames.
  public mutating func prependSilence(frames: Int) { silence += frames }

  /// Appends silence after the queued frames.
  public mutating func appendSilence(frames: Int, channels: Int) {
    guard count > 0 else {
      silence += frames
      return
    }
    append(frames: frames, channels: channels).update(repeating: 0, count: frames * channels)
  }

  /// Dequeues frames. Stops after the leading silence, so that a second call may return more.
  ///
  /// - Parameters:
  ///   - destination: Receives interleaved samples.
  ///   - frames: Maximum number of frames.
  ///   - channels: Number of channels.
  /// - Returns: Frames written; 0 if the queue is empty.
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

  /// Copies bytes, because `update(from:count:)` copies sample by sample in Embedded Swift.
  private static func copy(
    _ source: UnsafeMutablePointer<Float>, to destination: UnsafeMutablePointer<Float>, count: Int
  ) {
    UnsafeMutableRawPointer(destination).copyMemory(
      from: source, byteCount: count * MemoryLayout<Float>.stride)
  }

  /// Removes all frames and silence; keeps the memory.
  public mutating func clear() { (count, silence) = (0, 0) }

  /// Frees the memory.
  public func deallocate() { samples?.deallocate() }
}
