// The loop of the audio thread with a card in virtual time. Test threads.
import AudioRing
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct AudioLoopTests {
  static let pauseRamp = Frames(8820)

  private func track(_ seconds: Double = 0.7) -> RingBox {
    RingBox(track: Int((seconds * 44100).rounded()), coded)
  }

  @Test func playsEveryFrameOnceAndParks() {
    let rig = LoopRig()
    rig.play(track())
    rig.run(milliseconds: 3000)
    #expect(heardRuns(rig.device.output) == [0...30869])
    #expect(rig.news == ["deckEnded(a)"])
    #expect(rig.link.isParked)
    let turns = rig.device.waits
    rig.run(milliseconds: 60_000)
    #expect(rig.device.waits <= turns + 2, "a parked loop does not wake")
  }

  @Test func startsAtOnce() {
    let rig = LoopRig()
    rig.run(milliseconds: 100)
    let given = rig.device.clock
    rig.play(track())
    rig.run(milliseconds: 50)
    #expect(rig.device.starts.first?.time == given)
  }

  @Test func wakesFewTimesWhilePlayingDeep() {
    let ring = RingBox(capacity: 1 << 18, coded)
    let rig = LoopRig()
    ring.write(1 << 18)
    rig.play(ring)
    rig.run(milliseconds: 1000)
    let before = rig.device.waits
    rig.run(milliseconds: 4000)
    #expect(rig.device.waits - before <= 20)
    #expect(heardRuns(rig.device.output).count == 1)
  }

  /// A box in use queues less: a third of a second after each command, and more than a second once no command
  /// has come for a second.
  @Test func theQueueIsShortForASecondAfterEachCommand() {
    let ring = RingBox(capacity: 1 << 19, coded)
    let rig = LoopRig(FakeDevice(.deep(queue: 55_125, margin: 441), buffer: 55_125))
    ring.write(1 << 19)
    rig.play(ring)
    rig.run(milliseconds: 3000)
    for _ in 0..<2 {
      rig.send(.setMono(false))
      rig.run(milliseconds: 20)
      #expect((11_025...15_435).contains(rig.device.queuedFrames), "\(rig.device.queuedFrames)")
      rig.run(milliseconds: 2500)
      var longest = 0
      for _ in 0..<60 {
        rig.run(milliseconds: 20)
        longest = max(longest, rig.device.queuedFrames)
      }
      #expect(longest > 44_100, "\(longest)")
    }
  }

  /// A pause at any moment is audible within the margin, and no frame is lost or repeated.
  @Test(arguments: [3.0, 120, 333.3, 401.7])
  func pauseIsAnsweredWithinTheMargin(milliseconds: Double) throws {
    let rig = LoopRig()
    rig.play(track())
    var id: UInt32 = 0
    var given: UInt64 = 0
    rig.after(milliseconds) {
      given = rig.device.clock
      id = rig.send(.closeGate(.pause, ramp: Self.pauseRamp))
    }
    rig.run(milliseconds: 2500)
    let frame = try #require(rig.applied(id))
    let heardAt = rig.device.time(ofFrame: frame)
    #expect(heardAt >= given && heardAt - given <= 11_000_000)
    #expect(rig.news == ["paused"])
    #expect(rig.link.isParked)
    rig.send(.openGate(ramp: Self.pauseRamp))
    rig.run(milliseconds: 2000)
    // Frames next to silence cannot be distinguished from it.
    let runs = heardRuns(rig.device.output)
    #expect(runs.first?.lowerBound == 0 && runs.last?.upperBound == 30869)
    #expect(gaps(runs).allSatisfy { (0...20).contains($0) })
  }

  @Test func aBatchTakesEffectTogether() throws {
    let rig = LoopRig()
    rig.play(track())
    rig.run(milliseconds: 100)
    #expect(rig.link.send(CommandRequest(id: 77, pin: .now, command: .setMono(true))))
    rig.run(milliseconds: 100)
    #expect(rig.applied(77) == nil, "not flushed yet")
    let last = rig.send(.setMono(false))
    rig.run(milliseconds: 100)
    #expect(rig.applied(77) != nil && rig.applied(77) == rig.applied(last))
  }

  @Test func eventsAreToldWhenTheyAreHeard() {
    let rig = LoopRig()
    rig.play(track(0.3))
    let begun = rig.device.clock
    rig.run(milliseconds: 1500)
    let end = rig.reports.first {
      if case .mixer(let e) = $0.report, case .deckEnded = e.event { true } else { false }
    }
    let late = Int64(end!.time - begun) - 300_000_000
    #expect(late >= 0 && late < 2_000_000)
  }

  @Test func aCardThatIsGoneHasNotRefusedToRewind() {
    let rig = LoopRig()
    let ring = RingBox(coded)
    ring.write(100_000)
    rig.play(ring)
    rig.run(milliseconds: 500)
    rig.device.isLostAtRewind = true
    rig.send(.closeGate(.pause, ramp: Frames(100)))
    rig.run(milliseconds: 500)
    #expect(rig.count("deviceLost") == 1 && !rig.link.isShallow)
  }

  @Test func aRefusedRewindMeansShallow() {
    let rig = LoopRig()
    rig.device.rewindLimit = 0
    rig.play(track())
    rig.after(300) { rig.send(.setVolume(Gain(0.5), ramp: .zero)) }
    rig.run(milliseconds: 500)
    #expect(rig.news.contains("wentShallow") && rig.link.isShallow)
    rig.run(milliseconds: 1500)
    #expect(heardRuns(rig.device.output) == [0...30869])
    #expect(rig.device.queuedFrames == 0)
  }

  /// A driver bug must not stop the box.
  @Test func aCardThatGivesBackWhatItNeverGotIsShallow() {
    let rig = LoopRig()
    rig.device.phantomFrames = 21_000
    let ring = RingBox(capacity: 1 << 16, coded)
    ring.write(4000)
    rig.play(ring)
    rig.after(10) {
      rig.send(.setVolume(Gain(0.5), ramp: .zero))
      ring.write(30_000)
      ring.finish()
    }
    rig.after(20) { rig.device.phantomFrames = 0 }
    rig.run(milliseconds: 3000)
    #expect(rig.news.contains("wentShallow") && rig.link.isShallow)
    #expect(heardRuns(rig.device.output).last?.upperBound == 33_999)
  }

  @Test(arguments: [1, 100, 400])
  func aRewindThatGivesLessIsTakenAsItIs(limit: Int) {
    let rig = LoopRig()
    rig.device.rewindLimit = limit
    rig.play(track())
    for i in 1...20 { rig.after(Double(i) * 23) { rig.send(.setMono(false)) } }
    rig.run(milliseconds: 2000)
    #expect(heardRuns(rig.device.output) == [0...30869])
  }

  @Test(arguments: [1, 7, 300, 4095])
  func shortWritesLoseNothing(limit: Int) {
    let rig = LoopRig()
    rig.device.writeLimit = limit
    rig.play(track())
    for i in 1...10 { rig.after(Double(i) * 41) { rig.send(.setMono(false)) } }
    rig.run(milliseconds: 2000)
    #expect(heardRuns(rig.device.output) == [0...30869])
  }

  @Test(arguments: [0.5, 17, 250, 499, 640], [PCMFault.underrun, .suspended])
  func playsOnAfterAGap(milliseconds: Double, fault: PCMFault) {
    let rig = LoopRig()
    rig.play(track())
    rig.device.inject(.fault(fault), at: rig.device.clock + UInt64(milliseconds * 1e6))
    rig.run(milliseconds: 3000)
    #expect(rig.count("underrun") == 1 && rig.count("deckEnded(a)") == 1)
    let runs = heardRuns(rig.device.output)
    #expect(runs.first?.lowerBound == 0 && runs.last?.upperBound == 30869)
    #expect(gaps(runs).allSatisfy { (0...2).contains($0) }, "the frame that the ramp silenced, at most")
  }

  @Test func aStallLongerThanTheQueueLosesNothing() {
    let rig = LoopRig()
    let ring = RingBox(capacity: 1 << 17, coded)
    ring.write(100_000)
    ring.finish()
    rig.play(ring)
    rig.device.inject(.stall(1_500_000_000), at: rig.device.clock + 300_000_000)
    rig.run(milliseconds: 5500)
    #expect(rig.count("underrun") == 1)
    let runs = heardRuns(rig.device.output)
    #expect(runs.first?.lowerBound == 0 && runs.last?.upperBound == 99_999)
    #expect(gaps(runs).allSatisfy { (0...2).contains($0) })
  }

  @Test(arguments: [0.5, 17, 250, 499, 640])
  func holdsWhenTheDeviceIsLostAndGoesOnWhereItWas(milliseconds: Double) throws {
    let rig = LoopRig()
    rig.play(track())
    rig.device.inject(.fault(.lost), at: rig.device.clock + UInt64(milliseconds * 1e6))
    rig.device.reopensFrom = rig.device.clock + 1_700_000_000
    rig.react = { if case .deviceRestored = $0 { rig.send(.openGate(ramp: Frames(441))) } }
    rig.run(milliseconds: 5000)
    #expect(rig.count("deviceLost") == 1 && rig.count("deviceRestored") == 1 && rig.count("paused") == 1)
    #expect(rig.count("deckEnded(a)") == 1)
    let runs = heardRuns(rig.device.output)
    #expect(runs.first?.lowerBound == 0 && runs.last?.upperBound == 30869)
    #expect(gaps(runs).allSatisfy { (0...2).contains($0) }, "plays on at the same frame")
    let back = try #require(rig.device.starts.dropFirst().first)
    #expect(back.time - rig.device.reopensFrom < 1_000_000_000)
  }

  @Test func manyCommandsAtRestDoNotPileUp() {
    let rig = LoopRig()
    rig.play(track())
    rig.send(.closeGate(.pause, ramp: Self.pauseRamp))
    rig.run(milliseconds: 2000)
    for i in 0..<2000 {
      rig.send(.setVolume(Gain(Float(i % 100) / 100), ramp: Frames(441)))
      rig.run(milliseconds: 1)
    }
    rig.send(.setVolume(.unity, ramp: .zero), .openGate(ramp: .zero))
    rig.run(milliseconds: 2000)
    #expect(rig.count("deckEnded(a)") == 1)
  }

  @Test func aSlowWriterIsWaitedForAtTheStart() {
    let rig = LoopRig()
    let ring = RingBox(capacity: 1 << 16, coded)
    ring.write(2500)
    rig.play(ring)
    for i in 1...40 { rig.after(Double(i)) { ring.write(1000) } }
    rig.after(41) { ring.finish() }
    rig.run(milliseconds: 3000)
    #expect(rig.news == ["deckEnded(a)"], "no starvation")
    #expect(heardRuns(rig.device.output) == [0...42499])
  }

  @Test func starvationIsHeardSoftlyToldAndMended() {
    let rig = LoopRig()
    let ring = RingBox(capacity: 1 << 16, coded)
    ring.write(10_000)
    rig.play(ring)
    rig.after(1500) { ring.write(20_000) }
    rig.after(1600) { ring.finish() }
    rig.run(milliseconds: 5000)
    #expect(rig.news == ["starved(a)", "ringLow", "refilled(a)", "deckEnded(a)"])
    let runs = heardRuns(rig.device.output)
    #expect(runs.first?.lowerBound == 0 && runs.last?.upperBound == 29_999)
    #expect(gaps(runs).allSatisfy { (0...3).contains($0) })
    let refill = rig.reports.first {
      if case .mixer(let e) = $0.report, case .refilled = e.event { true } else { false }
    }
    #expect(refill!.time - 1_000_000_000 < 1_580_000_000, "the queue is short while nothing is heard")
  }

  @Test func aLimitIsKeptToTheFrameAndToldOnce() {
    let rig = LoopRig()
    rig.link.setLimit(10_000)
    rig.play(track())
    rig.run(milliseconds: 100)
    #expect(rig.loop.frame == Frames(10_000) && rig.news == ["limitReached"])
    rig.link.setLimit(20_000)
    rig.run(milliseconds: 150)
    #expect(rig.loop.frame == Frames(20_000) && rig.count("limitReached") == 2)
    rig.link.setLimit(.max)
    rig.run(milliseconds: 2000)
    #expect(heardRuns(rig.device.output) == [0...30869])
  }

  @Test func anOfflineRunEndsWithTheSound() {
    let device = FakeDevice(.offline(chunk: 4096), buffer: 1 << 20)
    let rig = LoopRig(device)
    rig.play(track())
    while !rig.link.isParked || rig.loop.frame == .zero { _ = rig.loop.turn() }
    #expect(rig.loop.frame == Frames(30870))
    while let report = rig.link.takeReport() { rig.react?(report) }
  }

  @Test func aFadeOverTwoEndedTracksStillCompletes() {
    let rig = LoopRig()
    let a = track(0.1)
    let b = track(0.1)
    rig.send(
      rig.attaching(a, to: .a), rig.attaching(b, to: .b),
      .start(.a, ramp: .zero),
      .fadeNow(from: .a, to: .b, Fade(length: Frames(3 * 44100), curve: .equalPower)))
    rig.run(milliseconds: 6000)
    #expect(rig.news == ["crossfadeBegan(to: b, 132300)", "crossfadeCompleted(to: b)", "deckEnded(b)"])
  }
}
