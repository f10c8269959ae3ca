// The memory limits of a stream: its window and its segments. Test threads.

import Testing

@testable import Streaming

@Suite struct StreamBoundTests {
  @Test(arguments: [
    (0, 65_536), (1, 65_536), (65_536, 65_536), (65_537, 131_072), (262_144, 262_144), (262_145, 524_288),
    (33_554_433, 67_108_864), (67_108_864, 67_108_864), (67_108_865, 67_108_864), (.max, 67_108_864),
  ]) func aWindowIsAPowerOfTwo(asked: Int, bytes: Int) throws {
    var request = StreamRequest("http://radio.example/live")
    request.window = asked
    #expect(request.boundedWindow == bytes)
  }

  /// A segment of unknown length is cut at 64 MiB, though its server keeps sending.
  @Test func aSegmentEnds() {
    var request = SegmentRequest(.map, at: "http://radio.example/1.ts", called: "1.ts")
    let chunk = [UInt8](repeating: 7, count: 1 << 20)
    var taken = 0
    for number in 1...66 {
      taken += chunk.withUnsafeBytes { request.take($0).count }
      #expect(request.isComplete == (number >= 64) && taken == min(number, 64) << 20)
    }
    #expect(request.received == 64 << 20)
  }
}
