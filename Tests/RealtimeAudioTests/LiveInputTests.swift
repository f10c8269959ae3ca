// Live sources on their deck: not affected by the gate, subject to the volume, ducked by announcements; the
// music loses no frame. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct LiveInputTests {
  /// The source's signal: noise that is uncorrelated with the music.
  static let sent: Sound = noise(seed: 11, amplitude: 0.3)

  private func host(
    _ ring: RingBox, id: UInt32 = 1, at index: UInt64 = 0, ramp: Int64 = 0, refill: Int64 = 4000
  )
    -> MixerCommand
  {
    .host(id, ring.reader, index: index, refill: Frames(refill), ramp: Frames(ramp))
  }

  private func news(_ rig: Rig) -> [String] { rig.news.filter { $0.hasPrefix("liveInput") } }

  /// The music pauses for a source and resumes with the next frame; in the meantime the source plays
  /// unchanged.
  @Test(arguments: [0, 3000, 9000]) func musicStandsStillAndGoesOnWithItsFrame(ramp: Int64) {
    let rig = Rig()
    let music = RingBox(track: 60_000, coded)
    let ring = RingBox(track: 40_000, Self.sent)
    rig.play(.a, music)
    rig.render(5000)
    rig.send(.closeGate(.pause, ramp: Frames(2000)))
    rig.send(host(ring, ramp: ramp))
    rig.render(20_000, chunk: 777)
    rig.send(.endLiveInput(1, ramp: Frames(2205)))
    rig.send(.openGate(ramp: Frames(2000)))
    rig.render(10_000)
    for i in 0..<(20_000 - 2000) {
      let frame = 2000 + i
      let gain = ramp > frame ? Float(frame) / Float(ramp) : 1
      let (heard, wanted) = (rig.output[5000 + frame], Self.sent(frame))
      guard abs(heard.left - wanted.left * gain) < 1e-6, abs(heard.right - wanted.right * gain) < 1e-6 else {
        Issue.record("frame \(frame): \(heard), not \(wanted) times \(gain)")
        return
      }
    }
    // The music's position is 5000 frames plus two ramps of 2000; from `bare` on it plays without a ramp.
    let (output, bare) = (rig.output, 25_000 + 2205)
    for i in bare..<35_000 where decode(output[i]) != 5000 + 2000 + (i - 25_000) {
      Issue.record("frame \(i) is \(decode(output[i]) ?? -1)")
      return
    }
    #expect(news(rig).count == 2)
  }

  @Test func theVolumeActsOnItAndTheGateDoesNot() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, coded))
    rig.send(.closeGate(.pause, ramp: .zero))
    rig.send(.setVolume(Gain(0.5), ramp: .zero))
    rig.render(100)
    rig.send(host(RingBox.kept(60_000, Self.sent)))
    rig.render(1000)
    rig.send(.setVolume(Gain(0.25), ramp: Frames(1000)))
    rig.render(2000)
    for i in 0..<3000 {
      let gain = 0.5 - 0.25 * min(1, max(0, Float(i - 1000) / 1000))
      guard abs(rig.output[100 + i].left - Self.sent(i).left * gain) < 1e-6 else {
        Issue.record("frame \(i)")
        return
      }
    }
    let isQuiescent = rig.mixer.isQuiescent
    #expect(!isQuiescent)
  }

  /// An announcement has its usual volume, and the source is ducked like music.
  @Test func anAnnouncementIsHeardOverIt() {
    let rig = Rig()
    let bell = RingBox(track: 9000, noise(seed: 3, amplitude: 0.2))
    rig.send(host(RingBox.kept(60_000, Self.sent)))
    rig.render(1000)
    rig.send(.announce(1, bell.reader, index: 0, gain: Gain(0.5), duck: Gain(0.25)))
    rig.render(8000)
    for i in 4000..<8000 {
      let wanted = Self.sent(1000 + i).left * 0.25 + bell.sound(i).left * 0.5
      guard abs(rig.output[1000 + i].left - wanted) < 1e-6 else {
        Issue.record("frame \(i)")
        return
      }
    }
  }

  /// A source that underruns fades out, is waited for, and restarts with its original delay.
  @Test func oneThatRunsDryGoesOnWithTheSameDelay() {
    let rig = Rig()
    let ring = RingBox(capacity: 1 << 15) { _ in Frame(0.5, 0.5) }
    ring.write(9000)
    rig.send(host(ring, refill: 6000))
    rig.render(20_000)
    #expect(news(rig).count == 2)
    ring.write(5000)
    rig.render(8192)
    #expect(news(rig).count == 2)
    ring.write(2000)
    rig.render(8192)
    #expect(news(rig).count > 2 && news(rig)[2].contains("refilled"), "\(news(rig))")
    let steps = zip(rig.output, rig.output.dropFirst()).map { abs($1.left - $0.left) }
    #expect((steps.dropFirst(1).max() ?? 0) < 0.5 / 300, "a step of \(steps.max() ?? 0)")
  }

  @Test func itsClockIsToldAndTheQueueIsShort() throws {
    let rig = LoopRig()
    let ring = RingBox(capacity: 1 << 17, Self.sent)
    ring.write(60_000)
    rig.play(RingBox.kept(130_000, coded))
    rig.run(milliseconds: 1500)
    #expect(rig.device.queuedFrames > 10_000)
    rig.send(.closeGate(.pause, ramp: Frames(441)), host(ring, at: 10_000))
    rig.run(milliseconds: 500)
    #expect(rig.device.queuedFrames <= 3528 && rig.device.queuedFrames > 0)
    let start = try #require(
      rig.reports.compactMap { entry -> Int? in
        if case .mixer(let event) = entry.report, case .liveInput(1, .began) = event.event {
          return Int(event.positions.frame.count)
        }
        return nil
      }.first)
    let place = try #require(ring.reader.heardPlace.last)
    let heard = 10_000 + Int(Double(place.time - rig.device.time(ofFrame: start)) * 44.1e-6)
    #expect(abs(Int(place.index) - heard) <= 2, "\(place.index), not \(heard)")
    #expect(ring.retainIndex > 10_000 && ring.retainIndex < place.index)
    rig.send(.endLiveInput(1, ramp: Frames(441)), .openGate(ramp: Frames(441)))
    rig.run(milliseconds: 2500)
    #expect(rig.device.queuedFrames > 10_000 && rig.count("underrun") == 0)
    #expect(rig.news.filter { $0.hasPrefix("liveInput") }.count == 2)
  }

  /// A lost card ends the source and releases its ring once.
  @Test func aLostCardLetsGoOfIt() {
    let rig = LoopRig()
    let ring = RingBox(track: 120_000, Self.sent)
    rig.send(host(ring))
    rig.run(milliseconds: 300)
    rig.device.reopensFrom = rig.device.clock + 500_000_000
    rig.device.inject(.fault(.lost), at: rig.device.clock)
    rig.run(milliseconds: 2000)
    rig.send(.endLiveInput(1, ramp: .zero))
    rig.run(milliseconds: 300)
    #expect(rig.count("deviceLost") == 1 && rig.count("deviceRestored") == 1)
    #expect(rig.news.filter { $0.hasPrefix("liveInput") && $0.contains("released") }.count == 1)
  }

  @Test func aRingWithImpossibleIndexesIsLetGoOf() {
    let rig = Rig()
    let ring = RingBox(capacity: 1 << 15, Self.sent)
    ring.write(9000)
    rig.send(host(ring, at: 1 << 40))
    rig.render(5000)
    #expect(news(rig).count == 3 && news(rig)[1].contains("corrupt"))
    #expect(rig.output.allSatisfy { $0 == Frame(0, 0) })
  }
}

extension RandomScript {
  /// A random command about a live source.
  func liveInput(_ random: inout ShuffleGenerator) -> MixerCommand {
    let id = UInt32.random(in: 1...3, using: &random)
    let ramp = Frames(Int64.random(in: 0...900, using: &random))
    guard Int.random(in: 0..<3, using: &random) > 0 else { return .endLiveInput(id, ramp: ramp) }
    let ring = rings.randomElement(using: &random)!
    return .host(
      id, ring.reader, index: UInt64.random(in: 0...UInt64(ring.writeIndex), using: &random),
      refill: Frames(Int64.random(in: 1...3000, using: &random)), ramp: ramp)
  }
}
