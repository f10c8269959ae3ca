// The gate behind the decks: pauses and stops that are reversed at any point, and decks that are stopped
// individually. Test threads.
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct GateTests {
  @Test(arguments: [0, 1, 500, 1999, 2000, 2001])
  func aPauseTurnsRoundAnywhere(after frames: Int) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, { _ in Frame(0.5, 0.5) }))
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: Frames(2000)))
    rig.render(frames)
    rig.send(.openGate(ramp: Frames(2000)))
    rig.render(5000)
    let step = zip(rig.output, rig.output.dropFirst()).map { abs($0.left - $1.left) }.max()!
    #expect(step <= 0.5 / 2000 + 1e-6)
    #expect(rig.output.last == Frame(0.5, 0.5))
    #expect(rig.news == (frames > 2000 ? ["paused"] : []))
  }

  @Test(arguments: [0, 1, 500, 1999, 2000, 2001])
  func aResumeTurnsRoundAnywhere(after frames: Int) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, { _ in Frame(0.5, 0.5) }))
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: Frames(2000)))
    rig.render(3000)
    rig.send(.openGate(ramp: Frames(2000)))
    rig.render(frames)
    rig.send(.closeGate(.pause, ramp: Frames(2000)))
    rig.render(3000)
    let step = zip(rig.output, rig.output.dropFirst()).map { abs($0.left - $1.left) }.max()!
    #expect(step <= 0.5 / 2000 + 1e-6)
    #expect(rig.output.last == Frame(0, 0))
  }

  @Test(arguments: 1...24)
  func aPauseTakenBackAtOnceIsNoFaster(after frames: Int) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, { _ in Frame(0.5, 0.5) }))
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: Frames(800)))
    rig.render(frames)
    rig.send(.openGate(ramp: Frames(800)))
    rig.render(1000)
    let step = zip(rig.output, rig.output.dropFirst()).map { abs($0.left - $1.left) }.max()!
    #expect(step <= 0.5 / 800 * 1.02)
    #expect(rig.output.last == Frame(0.5, 0.5))
  }

  @Test func aStopIsTurnedRoundOrFrozen() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 90_000, { _ in Frame(0.5, 0.5) }))
    rig.send(.closeGate(.finish, ramp: Frames(20_000)))
    rig.render(10_000)
    rig.send(.openGate(ramp: Frames(2000)))
    rig.render(3000)
    #expect(rig.output.last == Frame(0.5, 0.5) && rig.news == [])
    rig.send(.closeGate(.finish, ramp: Frames(20_000)))
    rig.render(5000)
    rig.send(.closeGate(.pause, ramp: Frames(2000)))
    rig.render(3000)
    #expect(rig.news == ["paused"])
    rig.send(.openGate(ramp: Frames(2000)))
    rig.send(.closeGate(.finish, ramp: Frames(2000)))
    rig.render(5000)
    #expect(rig.news == ["paused", "fadeOutCompleted"])
  }

  @Test func aSeekStopsMovesAndStarts() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 30_000, coded))
    rig.render(1000)
    rig.send(.stop(.a, ramp: Frames(400)))
    rig.render(500)
    #expect(rig.news == ["deckSilent(a, index: 1400)"])
    rig.send(.cue(.a, index: 20_000))
    rig.send(.start(.a, ramp: Frames(300)))
    rig.render(1000)
    #expect(heardRuns(rig.output).map(\.lowerBound) == [0, 20_001])
  }

  @Test func clearReleasesBothAndOpensTheGate() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, FadeTests.onLeft))
    rig.cue(.b, RingBox(track: 60_000, FadeTests.onRight))
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(10_000), curve: .linear)))
    rig.render(5000)
    rig.send(.closeGate(.pause, ramp: Frames(1000)))
    rig.render(500)
    rig.send(.clear(keeping: nil, ramp: Frames(400)))
    rig.render(1000)
    #expect(rig.news == ["crossfadeBegan(to: b, 10000)", "released(a)", "released(b)"])
    let next = RingBox(track: 1000, FadeTests.onLeft)
    rig.play(.a, next)
    rig.render(500)
    #expect(rig.output.last == Frame(0.5, 0))
  }

  @Test func whatWasStoppingEndsWithTheGate() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, FadeTests.onLeft))
    rig.cue(.b, RingBox(track: 60_000, FadeTests.onRight))
    rig.render(1000)
    rig.send(.stop(.a, ramp: Frames(5000)))
    rig.send(.closeGate(.pause, ramp: Frames(100)))
    rig.render(1000)
    #expect(rig.news == ["deckSilent(a, index: 1100)", "paused"])
  }
}
