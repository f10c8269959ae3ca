// Planar samples of a codec library to interleaved Float32. Worker process only; plain loops that the
// compiler vectorises.

/// Interleaves `count` frames of integers from frame `start` on, times `scale`.
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
    guard let plane = planes[channel] else { continue }
    let source = plane + start
    let target = samples + channel
    for index in 0..<count { target[index &* channels] = Float(source[index]) * scale }
  }
}

/// Interleaves `count` frames of `planes`, channel `n` of the output being plane `order[n]`.
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
    guard let source = planes[order.source(of: channel)] else { continue }
    let target = samples + channel
    for index in 0..<count { target[index &* channels] = source[index] }
  }
}

/// Brings interleaved frames from `order`'s source order into WAVE's, in place.
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

/// How a codec's channels map to WAVE's.
public struct ChannelOrder {
  /// Channels of both sides, 1 to 8.
  public let channels: Int
  /// Source of each output channel, four bits each, the first lowest.
  private let sources: UInt32

  /// The map of Vorbis and Opus (Vorbis I specification, 4.3.9; RFC 7845, 5.1.1.2) for `channels` channels.
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

  /// A map that the codec states: for each of 1 to 8 output channels, in WAVE's order, its source among them.
  package init(sources: [Int]) {
    precondition(sources.count <= 8 && sources.allSatisfy { (0..<8).contains($0) })
    channels = sources.count
    self.sources = sources.reversed().reduce(0) { $0 << 4 | UInt32($1) }
  }

  /// The source channel that is heard as output channel `channel`.
  public func source(of channel: Int) -> Int { Int(sources >> UInt32(4 * channel) & 15) }

  /// Whether both orders are the same.
  public var isIdentity: Bool {
    (0..<channels).allSatisfy { source(of: $0) == $0 }
  }
}
