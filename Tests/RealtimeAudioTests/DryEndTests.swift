// Tracks without a writer end where their ring underruns, whatever end mark it has. Test threads.
import AudioRing
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct DryEndTests {
  private static let ramp = Frames(353)
  private let dry = RingBox(withoutEnd: 20_000, FadeTests.onLeft)
  private let rig = Rig()

  private func play() { rig.play(.a, dry) }

  /// Joins a complete track.
  private func join() {
    rig.cue(.b, RingBox(track: 60_000, FadeTests.onRight))
    rig.send(.join(.gapless(from: .a, to: .b)))
  }

  @Test(arguments: [0, 5000, 18_000]) func itEndsWhereItRunsDry(told: Int) {
    play()
    rig.render(told)
    rig.send(.endWhereDry(.a))
    rig.render(30_000 - told, chunk: 331)
    #expect(rig.news == ["deckEnded(a)"])
    #expect(rig.output[..<19_000].allSatisfy { $0 == Frame(0.5, 0) })
    // Half of full scale over a ramp.
    let steps = zip(rig.output, rig.output.dropFirst()).map { abs($0.left - $1.left) }
    #expect((steps.max() ?? 1) < 2 * 0.5 / 353)
  }

  @Test func whatFollowsIsJoinedToIt() {
    play()
    join()
    rig.send(.endWhereDry(.a))
    rig.render(30_000, chunk: 331)
    #expect(rig.news == ["advanced(to: b)"])
    let begin = rig.frame(of: "advanced") ?? 0
    #expect((19_000...22_100).contains(begin) && rig.output[begin...].allSatisfy { $0 == Frame(0, 0.5) })
  }

  @Test func oneThatWaitsAlreadyWaitsNoLonger() {
    play()
    join()
    rig.render(40_000)
    rig.send(.endWhereDry(.a))
    rig.render(10_000, chunk: 331)
    #expect(rig.news == ["starved(a)", "advanced(to: b)"])
    #expect(rig.frame(of: "advanced") == 40_000)
  }

  /// Frames written and published before are played completely.
  @Test func whatIsThereIsHeardFirst() {
    play()
    rig.render(30_000)
    dry.write(12_000)
    dry.finish()
    rig.send(.endWhereDry(.a))
    rig.render(30_000, chunk: 331)
    #expect(rig.news == ["starved(a)", "refilled(a)", "deckEnded(a)"])
    let heard = rig.output.count { $0 != Frame(0, 0) }
    #expect((31_990...32_000).contains(heard), "\(heard)")
  }

  @Test func behindAClosedGateItIsOverWhenThatOpens() {
    play()
    join()
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: Self.ramp))
    rig.send(.endWhereDry(.a))
    rig.render(40_000)
    #expect(rig.news == ["paused"])
    rig.send(.openGate(ramp: Self.ramp))
    rig.render(30_000)
    #expect(rig.news == ["paused", "advanced(to: b)"])
  }

  /// The fade continues without the track.
  @Test func withinAFadeItHoldsUpNothing() {
    play()
    rig.cue(.b, RingBox(track: 60_000, FadeTests.onRight))
    rig.render(15_000)
    rig.send(.endWhereDry(.a))
    let ends = FadeEnds(from: RingLayout.noEnd, to: 60_000)
    rig.send(
      .join(
        .crossfade(
          from: .a, to: .b, at: 15_000, Fade(length: Frames(20_000), curve: .equalPower), ends: ends)))
    rig.render(40_000, chunk: 331)
    #expect(rig.news == ["crossfadeBegan(to: b, 20000)", "crossfadeCompleted(to: b)"])
  }

  /// The command does not apply to a later ring on the deck.
  @Test func itConcernsItsOwnRingOnly() {
    play()
    rig.send(.endWhereDry(.a))
    rig.render(1000)
    rig.send(.release(.a, ramp: Self.ramp))
    rig.render(1000)
    rig.play(.a, RingBox(withoutEnd: 5000, FadeTests.onLeft))
    rig.render(20_000)
    #expect(rig.news == ["released(a)", "starved(a)"])
  }
}
