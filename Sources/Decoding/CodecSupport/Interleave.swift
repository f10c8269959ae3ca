// Converts planar samples of a codec library to interleaved Float32. Worker process only. Plain loops, so
// that the compiler vectorises them.

/// Interleaves planar integer samples and converts them to floats.
///
/// - Parameters:
///   - planes: One pointer for each channel; nil is silence.
///   - start: Index of the first frame in each plane.
///   - count: Number of frames.
///   - channels: Number of channels.
///   - scale: Factor that maps full scale to 1.0, such as 1/32768 for 16 bits.
///   - samples: Receives `count * channels` samples.
public func interleave(
  _ planes: UnsafePointer<UnsafePointer<Int32>?>, from start: Int, count: Int, channels: Int,
  scale: Float, to samples: UnsafeMutablePointer<Float>
) {
  if channels == 2, let left = planes[0], let right = planes[1] {
    let (left, right) = (left + start, right + start)
    for index in 0..<count {
      samples[2 &* index] = Float(left[index]) * scale
      samples[2 &* index &+ 1] = Float(right[index]) * scale
    }
    return
  }
  for channel in 0..<channels {
    let target = samples + channel
    guard let plane = planes[channel] else {
      silence(target, count: count, channels: channels)
      continue
    }
    let source = plane + start
    for index in 0..<count { target[index &* channels] = Float(source[index]) * scale }
  }
}

/// Interleaves planar float samples in WAVE's channel order.
///
/// - Parameters:
///   - planes: One pointer for each channel of the source; nil is silence.
///   - count: Number of frames.
///   - order: Maps output channels to source channels.
///   - samples: Receives `count * order.channels` samples.
public func interleave(
  _ planes: UnsafePointer<UnsafeMutablePointer<Float>?>, count: Int, order: ChannelOrder,
  to samples: UnsafeMutablePointer<Float>
) {
  let channels = order.channels
  if channels == 2, let left = planes[0], let right = planes[1] {
    for index in 0..<count {
      samples[2 &* index] = left[index]
      samples[2 &* index &+ 1] = right[index]
    }
    return
  }
  for channel in 0..<channels {
    let target = samples + channel
    guard let source = planes[order.source(of: channel)] else {
      silence(target, count: count, channels: channels)
      continue
    }
    for index in 0..<count { target[index &* channels] = source[index] }
  }
}

/// Writes zeros to one channel of interleaved samples, whose memory may be uninitialised.
private func silence(_ target: UnsafeMutablePointer<Float>, count: Int, channels: Int) {
  for index in 0..<count { target[index &* channels] = 0 }
}

/// Reorders interleaved frames to WAVE's channel order, in place.
public func reorder(_ samples: UnsafeMutablePointer<Float>, frames: Int, order: ChannelOrder) {
  guard !order.isIdentity else { return }
  withUnsafeTemporaryAllocation(of: Float.self, capacity: order.channels) { frame in
    for index in 0..<frames {
      let start = samples + index * order.channels
      for channel in 0..<order.channels { frame[channel] = start[order.source(of: channel)] }
      for channel in 0..<order.channels { start[channel] = frame[channel] }
    }
  }
}

/// A mapping from a codec's channel order to WAVE's.
///
/// ```swift
/// let order = ChannelOrder(vorbis: 6)  // FL FC FR RL RR LFE to FL FR FC LFE RL RR
/// order.source(of: 1)  // 2: front right is the source's third channel
/// ```
public struct ChannelOrder {
  /// Number of channels, 1 to 8.
  public let channels: Int
  /// The source of each output channel, four bits each, output channel 0 in the lowest bits.
  private let sources: UInt32

  /// The channel order of Vorbis and Opus (Vorbis I specification, 4.3.9; RFC 7845, 5.1.1.2).
  ///
  /// - Parameter channels: Number of channels, 1 to 8.
  public init(vorbis channels: Int) {
    self.channels = channels
    sources =
      switch channels {
      case 3: 0x120
      case 5: 0x43120
      case 6: 0x43_5120
      case 7: 0x435_6120
      case 8: 0x4365_7120
      default: 0x7654_3210
      }
  }

  /// A mapping that the stream states itself.
  ///
  /// - Parameter sources: The source channel for each output channel in WAVE's order; at most 8.
  package init(sources: [Int]) {
    precondition(sources.count <= 8 && sources.allSatisfy { (0..<8).contains($0) })
    channels = sources.count
    self.sources = sources.reversed().reduce(0) { $0 << 4 | UInt32($1) }
  }

  /// The source channel of an output channel.
  public func source(of channel: Int) -> Int { Int(sources >> UInt32(4 * channel) & 15) }

  /// Whether both orders are equal, so that no reordering is needed.
  public var isIdentity: Bool {
    (0..<channels).allSatisfy { source(of: $0) == $0 }
  }
}
