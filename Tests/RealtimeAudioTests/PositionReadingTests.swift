// Positions between two turns of the audio thread: they advance with the sound only. Test threads.
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct PositionReadingTests {
  private static let fade = Fade(length: Frames(88_200), curve: .linear)

  /// Deck A plays, and deck B is cued at frame 70.
  private func playing() -> LoopRig {
    let rig = LoopRig()
    let a = RingBox(capacity: 1 << 18, coded)
    a.write(1 << 18)
    let b = RingBox(capacity: 1 << 18, coded)
    b.write(1 << 18)
    rig.send(rig.attaching(a, to: .a), rig.attaching(b, to: .b, at: 70), .start(.a, ramp: .zero))
    rig.run(milliseconds: 300)
    return rig
  }

  private func after(_ milliseconds: UInt64, _ reading: PositionReading) -> MixerPositions {
    reading.positions(at: reading.time + milliseconds * 1_000_000, rate: SampleRate(44100))
  }

  @Test func whatIsHeardMovesAndWhatIsCuedDoesNot() {
    let rig = playing()
    let reading = rig.link.reading()
    let later = after(20, reading)
    #expect(reading.isRunning && reading.handedOver - reading.positions.frame > Frames(2000))
    #expect(later.frame == reading.positions.frame + Frames(882))
    #expect(later.a == reading.positions.a + 882)
    #expect(later.b == 70 && reading.positions.b == 70)
    #expect(later.fade == nil)
  }

  /// The extrapolated position equals the position of the next turn.
  @Test func theClockAgreesWithTheDevice() {
    let rig = playing()
    let before = rig.link.reading()
    rig.run(milliseconds: 90)
    let now = rig.link.reading()
    let foretold = before.positions(at: now.time, rate: SampleRate(44100))
    #expect(now.time > before.time)
    #expect(abs((foretold.frame - now.positions.frame).count) <= 1)
    #expect(abs(Int64(bitPattern: foretold.a &- now.positions.a)) <= 1)
  }

  @Test func theClockDoesNotRunBackwards() {
    let reading = playing().link.reading()
    #expect(reading.positions(at: reading.time - 1, rate: SampleRate(44100)).frame == reading.positions.frame)
    #expect(reading.positions(at: 0, rate: SampleRate(44100)).a == reading.positions.a)
  }

  /// The extrapolated position is limited to the frames that the device was given.
  @Test func nothingMovesBeyondWhatWasHandedOver() {
    let reading = playing().link.reading()
    let given = reading.handedOver - reading.positions.frame
    for milliseconds: UInt64 in [600, 1000, 3_600_000] {
      let later = after(milliseconds, reading)
      #expect(later.frame == reading.handedOver)
      #expect(later.a == reading.positions.a + UInt64(given.count))
    }
  }

  @Test func behindAClosedGateNothingMoves() {
    let rig = playing()
    rig.send(.closeGate(.pause, ramp: Frames(441)))
    rig.run(milliseconds: 200)
    let reading = rig.link.reading()
    #expect(reading.isRunning, "the device plays silence for a while")
    let later = after(50, reading)
    #expect(later.frame == reading.positions.frame + Frames(2205))
    #expect(later.a == reading.positions.a && later.b == 70)
  }

  @Test func atRestNothingMoves() {
    let rig = playing()
    rig.send(.closeGate(.pause, ramp: Frames(441)))
    rig.run(milliseconds: 3000)
    let reading = rig.link.reading()
    let later = after(50, reading)
    #expect(!reading.isRunning && later.frame == reading.positions.frame && later.a == reading.positions.a)
  }

  @Test(arguments: [false, true]) func aFadeMovesAtItsPace(isQuick: Bool) throws {
    let rig = playing()
    rig.send(.fadeNow(from: .a, to: .b, Self.fade))
    rig.run(milliseconds: 200)
    if isQuick {
      rig.send(.quickFinish(over: Frames(22_050)))
      rig.run(milliseconds: 100)
    }
    let reading = rig.link.reading()
    let later = after(20, reading)
    let moved = try #require(later.fade).index.count - #require(reading.positions.fade).index.count
    if isQuick {
      // The rest, nearly two seconds, is played within half a second.
      #expect(moved > 3000 && moved < 3528)
    } else {
      #expect(moved == 882)
    }
    #expect(later.a == reading.positions.a + 882 && later.b == reading.positions.b + 882)
  }

  @Test func aHeldFadeStandsStill() throws {
    let rig = playing()
    rig.send(.fadeNow(from: .a, to: .b, Self.fade))
    rig.run(milliseconds: 200)
    rig.send(.closeGate(.pause, ramp: Frames(441)))
    rig.run(milliseconds: 200)
    let reading = rig.link.reading()
    let held = try #require(reading.positions.fade)
    let later = after(100, reading)
    #expect(later.fade == held && later.a == reading.positions.a && later.b == reading.positions.b)
  }

  /// A fade's position is limited to its end.
  @Test func aFadeEndsWithItsLastFrame() throws {
    let rig = playing()
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(8820), curve: .linear)))
    rig.run(milliseconds: 190)
    let reading = rig.link.reading()
    #expect(reading.positions.fade != nil)
    #expect(try #require(after(300, reading).fade).fraction == 1)
  }

  /// An underrun within a fade is not reported; the other track continues, and so does its position.
  @Test func whatGoesOnBesideATrackThatRunsDryMovesOn() {
    let rig = LoopRig()
    let a = RingBox(capacity: 1 << 18, coded)
    a.write(1 << 18)
    let b = RingBox(capacity: 1 << 18, coded)
    b.write(9000)
    rig.send(rig.attaching(a, to: .a), rig.attaching(b, to: .b), .start(.a, ramp: .zero))
    rig.run(milliseconds: 100)
    rig.send(.fadeNow(from: .a, to: .b, Self.fade))
    for _ in 0..<100 {
      rig.run(milliseconds: 10)
      let frame = Int(rig.link.reading().positions(at: rig.device.clock, rate: SampleRate(44100)).a)
      let heard = rig.device.heardFrames
      #expect(frame > heard - 441 && frame <= heard)
    }
  }
}
