// Announcements whose workers hang, misbehave or crash, or whose card is lost: the music continues without
// them. Test threads.
import AudioRing
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

extension AnnouncementTests {
  // MARK: Workers that hang, misbehave and crash

  /// Checks that the music is exact after the announcement and has lost no frame.
  private func exactAfter(_ rig: Rig, from frame: Int) {
    for (i, sample) in rig.output.enumerated() where i >= frame && sample != coded(i) {
      Issue.record("frame \(i) is \(sample)")
      return
    }
  }

  @Test func oneThatRunsDryWaitsSoftlyAndGoesOn() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 200_000, { _ in Frame(0, 0) }))
    let ring = RingBox({ _ in Frame(0.5, 0.5) })
    ring.write(10_000)
    rig.send(announce(ring))
    rig.render(40_000)
    #expect(rig.news.contains { $0.contains("starved") })
    let heard = rig.output.filter { $0.left != 0 }.count
    #expect(heard > 9000 && heard <= 10_000)
    ring.write(30_000)
    ring.finish()
    rig.render(60_000)
    #expect(rig.news.contains { $0.contains("refilled") } && rig.news.contains { $0.contains("ended") })
    let step = zip(rig.output, rig.output.dropFirst()).map { abs($1.left - $0.left) }.max()!
    // Except at the announcement's first and last frame.
    let inner = zip(rig.output.dropFirst(2000), rig.output.dropFirst(2001)).map { abs($1.left - $0.left) }
    #expect(step <= 0.25 && inner.filter { $0 > 0.002 }.count == 1, "\(inner.filter { $0 > 0.002 })")
  }

  @Test func oneThatBreaksOffIsRampedOut() {
    let rig = Rig()
    let ring = RingBox({ _ in Frame(0.5, 0.5) })
    ring.write(10_000)
    rig.send(announce(ring))
    rig.render(4000)
    ring.finish()
    rig.send(.softenAnnouncement(1))
    rig.render(20_000)
    #expect(rig.output[9990].left < 0.02 && rig.output[9000].left == 0.25)
    #expect(
      rig.news.filter { $0.contains("announcement") }.map { $0.contains("ended") } == [false, true, false])
  }

  @Test(arguments: [UInt64.max - 3, 1 << 40]) func impossibleIndexesEndItAndNothingElse(written: UInt64) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 32_000, coded))
    let ring = RingBox(Self.spoken)
    ring.write(60_000)
    rig.send(announce(ring), at: 3000)
    rig.render(6000)
    ring.base.storeBytes(of: written, toByteOffset: RingLayout.writeIndexOffset, as: UInt64.self)
    rig.render(26_000)
    #expect(rig.news.contains { $0.contains("corrupt") } && rig.news.last?.contains("released") == true)
    exactAfter(rig, from: 6000 + 2048 + Self.back)
  }

  @Test func nonsenseInItsRingIsNoNonsenseInTheOutput() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 32_000, coded))
    let wild: [Float] = [.nan, .infinity, -.infinity, 1e30, .signalingNaN]
    rig.send(announce(RingBox.kept(8000, { Frame(wild[$0 % 5], wild[($0 + 1) % 5]) })), at: 1000)
    rig.render(32_000)
    #expect(rig.output.allSatisfy { $0.left.isFinite && abs($0.left) <= 1 && abs($0.right) <= 1 })
    exactAfter(rig, from: 9000 + Self.back + 22_050)
  }

  /// The writer may overwrite frames that were played a while ago, but none that may be rendered again.
  @Test func itsWriterIsToldWhatMayGo() {
    let rig = Rig()
    let ring = RingBox(capacity: 1 << 16, Self.spoken)
    ring.write(1 << 16)
    rig.send(announce(ring, gain: 1))
    let kept = Int(SampleRate(44_100).frames(RingLayout.retention).count)
    var written = 1 << 16
    var last: UInt64 = 0
    for _ in 0..<100 {
      rig.append(1500)
      let heard = max(0, rig.frame - 22_050)
      rig.mixer.forget(before: Frames(Int64(heard)))
      #expect(ring.retainIndex >= last && Int(ring.retainIndex) <= max(0, heard - kept))
      last = ring.retainIndex
      written += ring.write(2000)
      // A rewind, as for a command.
      if rig.frame > 3000 {
        let target = rig.frame - 1400
        #expect(rig.restore(to: target))
        rig.append(1400)
      }
    }
    #expect(last > 60_000 && written > 150_000)
    let output = rig.output
    #expect(output == (0..<output.count).map(Self.spoken))
  }

  /// The ring's memory may be freed once its release is reported: no rewind reads it afterwards.
  @Test(arguments: [0, 700], Array(stride(from: 5000, to: 7100, by: 211)))
  func aRingThatWasLetGoOfIsNotReadAgain(ramp: Int64, from start: Int) throws {
    let rig = Rig()
    let ring = RingBox(track: 20_000, Self.spoken)
    rig.play(.a, RingBox(track: 30_000, coded))
    rig.send(announce(ring))
    rig.append(start)
    rig.send(.endAnnouncement(1, ramp: Frames(ramp)))
    rig.append(5000)
    let expected = rig.bytes
    let heard = (start...start + 4000).first { heard in
      rig.collect(upTo: heard - 1)
      return rig.hasTold("announcement(1, RealtimeAudio.BesideNews.released")
    }
    let told = try #require(heard)
    ring.spoil()
    #expect(rig.restore(to: told))
    rig.append(start + 5000 - told)
    let isSame = rig.bytes == expected
    #expect(isSame, "told at \(told)")
  }

  // MARK: The loop

  private func released(_ rig: LoopRig) -> Int {
    rig.news.filter { $0.contains("nnouncement") && $0.contains("released") }.count
  }

  @Test func itStartsARestingDeviceWhichRestsAgain() {
    let rig = LoopRig()
    let ring = RingBox(track: 20_000, Self.spoken)
    rig.send(announce(ring))
    rig.run(milliseconds: 4000)
    #expect(rig.link.isParked && released(rig) == 1)
    #expect(
      Array(rig.device.output.prefix(20_000))
        == (0..<20_000).map { i in
          Frame(Self.spoken(i).left * 0.5, Self.spoken(i).right * 0.5)
        })
  }

  /// A worker that has just started is waited for as long as the queue allows. A hung worker is not: the
  /// music continues with a full queue.
  @Test func aWorkerThatHangsDoesNotEmptyTheQueue() {
    let rig = LoopRig()
    rig.play(RingBox(track: 120_000, coded))
    let ring = RingBox(Self.spoken)
    ring.write(12_000)
    rig.after(500) { rig.send(announce(ring)) }
    rig.run(milliseconds: 1500)
    #expect(rig.count("underrun") == 0 && rig.news.contains { $0.contains("starved") })
    let waits = rig.device.waits
    rig.run(milliseconds: 1000)
    #expect(rig.device.waits - waits < 12, "\(rig.device.waits - waits) turns in a second")
    let runs = heardRuns(rig.device.output.enumerated().filter { $0.offset > 65_000 }.map { $0.element })
    #expect(gaps(runs).allSatisfy { $0 == 0 })
  }

  /// The card is lost before, during or after the announcement: its ring is released exactly once.
  @Test(arguments: [-50, -5, 0, 1, 5, 12, 40, 300, 480, 600] as [Double])
  func aLostDeviceDropsItAndTheMusicGoesOn(milliseconds: Double) {
    let device = FakeDevice()
    let rig = LoopRig(device)
    rig.play(RingBox(track: 32_000, coded))
    let ring = RingBox(track: 20_000, Self.spoken)
    rig.after(100) { rig.send(announce(ring, gain: 0, duck: 1)) }
    device.inject(.fault(.lost), at: device.clock + UInt64((100 + milliseconds) * 1e6))
    device.reopensFrom = device.clock + 1_500_000_000
    rig.react = {
      // Like the control thread.
      if case .deviceLost = $0 { rig.send(.endAnnouncement(1, ramp: .zero)) }
      if case .deviceRestored = $0 { rig.send(.openGate(ramp: .zero)) }
    }
    rig.run(milliseconds: 5000)
    #expect(rig.count("deviceLost") == 1 && released(rig) == 1, "\(rig.news)")
    let runs = heardRuns(rig.device.output)
    #expect(runs.last?.upperBound == 31_999)
    // The number of frames played before the loss is known exactly.
    #expect(gaps(runs).allSatisfy { $0 == 0 || $0 == -1 }, "\(runs)")
  }
}
