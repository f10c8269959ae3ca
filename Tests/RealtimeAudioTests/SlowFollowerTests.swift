// An incoming track that has just been opened, with a worker hardly faster than real time: the deep queue is
// not filled beyond the frames available. Test threads.
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct SlowFollowerTests {
  /// A card with the longest queue that the engine uses.
  private let rig = LoopRig(FakeDevice(.deep(queue: 55_125, margin: 441), buffer: 55_125))
  private let length = 100_000

  /// A ring with the frames that a worker has when it reports that it is ready, then filled slightly
  /// faster than real time.
  private func follower(ready: Int = 13_230) -> RingBox {
    let ring = RingBox(capacity: 1 << 17, coded)
    ring.write(ready)
    for step in 1...600 {
      rig.after(Double(step) * 10) { [length] in
        ring.write(min(463, length - Int(ring.writeIndex)))
        if ring.writeIndex == length { ring.finish() }
      }
    }
    return ring
  }

  private func first(_ seconds: Double) -> RingBox {
    RingBox(track: Int(seconds * 44100)) { _ in Frame(0, 0) }
  }

  /// Checks that the incoming track plays each frame once, starting with the first audible one, and its gain
  /// never falls.
  private func expectWhole(from begin: Int) {
    let output = rig.device.output
    let runs = heardRuns(output)
    #expect(runs.count == 1 && runs[0].lowerBound <= begin && runs[0].upperBound == length - 1, "\(runs)")
    #expect(zip(output, output.dropFirst()).allSatisfy { $0.right <= $1.right + 1e-6 || $1.right == 0 })
    #expect(rig.count("starved(b)") == 0 && rig.count("underrun") == 0, "\(rig.news)")
  }

  @Test(arguments: [0.4, 1.3, 2]) func aJoinFindsIt(after seconds: Double) {
    rig.play(first(seconds))
    rig.send(rig.attaching(follower(), to: .b), .join(.gapless(from: .a, to: .b)))
    rig.run(milliseconds: 5000)
    expectWhole(from: 0)
  }

  /// 2800 frames are slightly more than a render block, like a quarter of a second at a low rate.
  @Test(arguments: [0.03, 0.4, 1.3, 2], [13_230, 2800]) func aFadeFindsIt(after seconds: Double, ready: Int) {
    rig.play(first(seconds + 1))
    let fade = Fade(length: Frames(44_100), curve: .linear)
    rig.send(
      rig.attaching(follower(ready: ready), to: .b),
      .join(.crossfade(from: .a, to: .b, at: UInt64(seconds * 44100), fade, ends: .unknown)))
    rig.run(milliseconds: 5500)
    expectWhole(from: 100)
  }

  @Test(arguments: [10.0, 700, 1500]) func aPersonFindsIt(after milliseconds: Double) {
    rig.play(first(4))
    rig.run(milliseconds: milliseconds)
    rig.send(
      rig.attaching(follower(), to: .b), .release(.a, ramp: Frames(353)), .start(.b, ramp: .zero))
    rig.run(milliseconds: 5000)
    expectWhole(from: 0)
  }
}
