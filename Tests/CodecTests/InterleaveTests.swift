// Interleaving of planar samples, and planes that a library leaves out. Test threads.

import CodecSupport
import Testing

@Suite struct InterleaveTests {
  private static let frames = 3
  /// A value that stands for uninitialised memory.
  private static let garbage: Float = 9

  /// Each channel is its plane, or silence without one.
  @Test(arguments: [1, 2, 3, 6], [[], [0], [1], [0, 1], [2, 5]] as [Set<Int>])
  func planesThatAreMissingAreSilent(channels: Int, missing: Set<Int>) {
    let integers = (0..<channels).map { _ in UnsafeMutablePointer<Int32>.allocate(capacity: Self.frames + 1) }
    let floats = (0..<channels).map { _ in UnsafeMutablePointer<Float>.allocate(capacity: Self.frames) }
    defer {
      for plane in integers { plane.deallocate() }
      for plane in floats { plane.deallocate() }
    }
    let order = ChannelOrder(vorbis: channels)
    var (fromIntegers, fromFloats): ([Float], [Float]) = ([], [])
    for channel in 0..<channels {
      integers[channel][0] = 77
      for frame in 0..<Self.frames {
        integers[channel][frame + 1] = Int32(10 * channel + frame)
        floats[channel][frame] = Float(10 * channel + frame)
      }
    }
    for frame in 0..<Self.frames {
      for channel in 0..<channels {
        let source = order.source(of: channel)
        fromIntegers.append(missing.contains(channel) ? 0 : Float(10 * channel + frame) / 2)
        fromFloats.append(missing.contains(source) ? 0 : Float(10 * source + frame))
      }
    }
    var samples = [Float](repeating: Self.garbage, count: Self.frames * channels)
    interleave(
      integers.indices.map { missing.contains($0) ? nil : UnsafePointer(integers[$0]) }, from: 1,
      count: Self.frames, channels: channels, scale: 0.5, to: &samples)
    #expect(samples == fromIntegers)
    samples = [Float](repeating: Self.garbage, count: Self.frames * channels)
    interleave(
      floats.indices.map { missing.contains($0) ? nil : floats[$0] }, count: Self.frames, order: order,
      to: &samples)
    #expect(samples == fromFloats)
  }
}
