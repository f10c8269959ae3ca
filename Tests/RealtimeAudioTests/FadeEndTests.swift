// Where fades end: never after either track, exactly on the last frame, however often they are paused. Test
// threads.
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct FadeEndTests {
  private func rig(a: Int, b: Int) -> Rig {
    let rig = Rig()
    rig.play(.a, RingBox(track: a, FadeTests.onLeft))
    rig.cue(.b, RingBox(track: b, FadeTests.onRight))
    return rig
  }

  private func ends(_ from: Int, _ to: Int) -> FadeEnds { FadeEnds(from: UInt64(from), to: UInt64(to)) }

  private func fade(_ length: Int, _ curve: FadeCurve = .linear) -> Fade {
    Fade(length: Frames(Int64(length)), curve: curve)
  }

  // MARK: Late fades

  /// A fade that is armed late is as long as the rest of the outgoing track.
  @Test(arguments: [353, 3999, 4000, 5000], FadeCurve.allCases)
  func aLateFadeIsAsLongAsWhatIsLeft(rest: Int, curve: FadeCurve) {
    let length = min(rest, 4000)
    let rig = rig(a: 20_000, b: 60_000)
    rig.render(20_000 - rest)
    rig.send(.fadeNow(from: .a, to: .b, fade(4000, curve), ends: ends(20_000, 60_000)))
    rig.render(8000, chunk: 331)
    let begin = 20_000 - rest
    #expect(rig.news == ["crossfadeBegan(to: b, \(length))", "crossfadeCompleted(to: b)"])
    #expect(rig.frame(of: "crossfadeBegan") == begin)
    #expect(rig.frame(of: "crossfadeCompleted") == begin + length)
    let output = rig.output
    var worst: Float = 0
    for i in 0..<length {
      let gains = fade(length, curve).gains(at: Frames(Int64(i)))
      worst = max(worst, abs(output[begin + i].left - 0.5 * gains.outgoing.factor))
      worst = max(worst, abs(output[begin + i].right - 0.5 * gains.incoming.factor))
    }
    #expect(worst < 1e-6, "the whole curve, on fewer frames")
    #expect(output[begin - 1] == Frame(0.5, 0))
    #expect(output[(begin + length)...].allSatisfy { $0 == Frame(0, 0.5) })
  }

  /// A fade shorter than a de-click ramp becomes a join, which keeps each frame.
  @Test(arguments: [1, 2])
  func aFadeOfAFewFramesIsAJoin(rest: Int) {
    let rig = rig(a: 20_000, b: 60_000)
    rig.render(20_000 - rest)
    rig.send(.fadeNow(from: .a, to: .b, fade(4000), ends: ends(20_000, 60_000)))
    rig.render(8000, chunk: 331)
    #expect(rig.news == ["advanced(to: b)"])
    #expect(rig.output[..<20_000].allSatisfy { $0 == Frame(0.5, 0) })
    #expect(rig.output[20_000...].allSatisfy { $0 == Frame(0, 0.5) })
  }

  @Test(arguments: [353, 3999, 4000])
  func aFadeIntoAShortTrackEndsWithIt(length: Int) {
    let rig = rig(a: 60_000, b: length)
    rig.render(1000)
    rig.send(.fadeNow(from: .a, to: .b, fade(8000), ends: ends(60_000, length)))
    rig.render(9000)
    #expect(
      rig.news == ["crossfadeBegan(to: b, \(length))", "crossfadeCompleted(to: b)", "deckEnded(b)"])
    #expect(rig.frame(of: "deckEnded") == 1000 + length)
    #expect(rig.output[(1000 + length)...].allSatisfy { $0 == Frame(0, 0) })
  }

  /// A very short incoming track, or one at its end, does not cut off the outgoing one, which gets a de-click
  /// ramp.
  @Test(arguments: [0, 1, 20, 352], FadeCurve.allCases)
  func aFadeIntoAMomentLetsTheOtherTrackOut(length: Int, curve: FadeCurve) {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, FadeTests.onLeft))
    rig.cue(.b, RingBox(track: 1000, FadeTests.onRight), at: UInt64(1000 - length))
    rig.render(1000)
    rig.send(.fadeNow(from: .a, to: .b, fade(8000, curve), ends: ends(60_000, 1000)))
    rig.render(9000)
    #expect(rig.news == ["crossfadeBegan(to: b, 353)", "crossfadeCompleted(to: b)", "deckEnded(b)"])
    #expect(rig.frame(of: "deckEnded") == 1353)
    let output = rig.output
    var worst: Float = 0
    for i in 0..<353 {
      let gains = fade(353).gains(at: Frames(Int64(i)))
      worst = max(worst, abs(output[1000 + i].left - 0.5 * gains.outgoing.factor))
      worst = max(worst, abs(output[1000 + i].right - (i < length ? 0.5 * gains.incoming.factor : 0)))
    }
    #expect(worst < 1e-6, "a ramp, whatever the curve")
    #expect(output[1353...].allSatisfy { $0 == Frame(0, 0) })
  }

  /// If both tracks have less left than a ramp, neither is played beyond its end.
  @Test func aFadeOfAMomentIsNoLongerThanTheTrackBefore() {
    let rig = rig(a: 20_000, b: 10)
    rig.render(19_800)
    rig.send(.fadeNow(from: .a, to: .b, fade(100), ends: ends(20_000, 10)))
    rig.render(1000)
    #expect(rig.news == ["crossfadeBegan(to: b, 100)", "crossfadeCompleted(to: b)", "deckEnded(b)"])
  }

  /// The rest of a track that was cued in its middle counts from its position.
  @Test func whatIsLeftCountsFromWhereTheTrackStands() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, FadeTests.onLeft))
    rig.cue(.b, RingBox(track: 5000, FadeTests.onRight), at: 4200)
    rig.send(.fadeNow(from: .a, to: .b, fade(2000), ends: ends(60_000, 5000)))
    rig.render(3000)
    #expect(rig.frame(of: "crossfadeCompleted") == 800)
  }

  /// A track that ends before the start of its fade is joined to the next one on the frame.
  @Test func aTrackThatEndsBeforeItsFadeIsJoined() {
    let rig = rig(a: 3000, b: 60_000)
    rig.send(.join(.crossfade(from: .a, to: .b, at: 50_000, fade(4000), ends: ends(54_000, 60_000))))
    rig.render(5000)
    #expect(rig.news == ["crossfadeBegan(to: b, 0)", "crossfadeCompleted(to: b)"])
    #expect(rig.output[2999] == Frame(0.5, 0) && rig.output[3000] == Frame(0, 0.5))
  }

  @Test func whatHasBegunIsNotPlacedAgain() {
    let rig = rig(a: 60_000, b: 60_000)
    rig.send(.fadeNow(from: .a, to: .b, fade(4000)))
    rig.render(1000)
    rig.send(.fadeNow(from: .a, to: .b, fade(9000)))
    rig.render(9000)
    #expect(rig.news == ["crossfadeBegan(to: b, 4000)", "crossfadeCompleted(to: b)"])
    #expect(rig.frame(of: "crossfadeCompleted") == 4000)
  }

  // MARK: Pauses

  /// How a fade of 20 000 frames is interrupted, twenty times; `fidget` returns the number of silent frames.
  enum Fidgeting: CaseIterable { case turning, pausing }

  private func fidget(_ rig: Rig, _ kind: Fidgeting, with extra: MixerCommand? = nil) -> Int {
    var silent = 0
    for _ in 0..<20 {
      rig.send(.closeGate(.pause, ramp: Frames(kind == .turning ? 2000 : 40)))
      // The ramp takes 40 frames, then the gate is closed for 60.
      rig.render(100)
      if kind == .pausing { silent += 60 }
      if let extra { rig.send(extra) }
      rig.send(.openGate(ramp: Frames(kind == .turning ? 2000 : 40)))
      rig.render(150)
    }
    return silent
  }

  @Test(arguments: Fidgeting.allCases) func pausesDoNotStretchAFade(kind: Fidgeting) {
    let rig = rig(a: 60_000, b: 60_000)
    rig.render(1000)
    rig.send(.fadeNow(from: .a, to: .b, fade(20_000), ends: ends(60_000, 60_000)))
    let silent = fidget(rig, kind)
    rig.render(30_000)
    #expect(rig.frame(of: "crossfadeCompleted") == 21_000 + silent)
    #expect(rig.output.last == Frame(0, 0.5))
  }

  /// A repeated request for a quick finish does not postpone its end.
  @Test(arguments: Fidgeting.allCases) func aQuickFinishIsNotPutOff(kind: Fidgeting) throws {
    let rig = rig(a: 60_000, b: 60_000)
    rig.render(1000)
    rig.send(.fadeNow(from: .a, to: .b, fade(20_000), ends: ends(60_000, 60_000)))
    rig.render(5000)
    let asked = rig.frame
    rig.send(.quickFinish(over: Frames(4410)))
    let silent = fidget(rig, kind, with: .quickFinish(over: Frames(4410)))
    rig.render(30_000)
    let end = try #require(rig.frame(of: "crossfadeCompleted"))
    // Some of the twenty interruptions may come after the end.
    #expect(end >= asked + 4410 && end <= asked + 4410 + silent)
    if kind == .turning { #expect(end == asked + 4410) }
    let step = zip(rig.output[asked...], rig.output[(asked + 1)...]).map { abs($0.right - $1.right) }.max()!
    #expect(step <= 0.5 / 40 + 1e-3, "nothing but the ramps of the gate")
  }

  @Test(arguments: [1, 100, 4409, 4410, 4411, 19_999])
  func aQuickFinishNeverTakesLongerThanWhatIsLeft(left: Int) {
    let rig = rig(a: 60_000, b: 60_000)
    rig.send(.fadeNow(from: .a, to: .b, fade(20_000)))
    rig.render(20_000 - left)
    rig.send(.quickFinish(over: Frames(4410)))
    rig.render(30_000)
    #expect(rig.frame(of: "crossfadeCompleted") == 20_000 - left + min(left, 4410))
  }

  // MARK: Behind the gate

  /// Events during the closing ramp of the gate are audible and reported.
  @Test func whatACloseGateLetsThroughIsTold() {
    let joined = rig(a: 1500, b: 60_000)
    joined.send(.join(.gapless(from: .a, to: .b)))
    joined.render(1000)
    joined.send(.closeGate(.pause, ramp: Frames(2000)))
    joined.render(3000)
    #expect(joined.news == ["advanced(to: b)", "paused"])
    #expect(joined.frame(of: "advanced") == 1500 && joined.frame(of: "paused") == 3000)

    let faded = rig(a: 60_000, b: 60_000)
    faded.send(.join(.crossfade(from: .a, to: .b, at: 1500, fade(4000), ends: .unknown)))
    faded.render(1000)
    faded.send(.closeGate(.finish, ramp: Frames(2000)))
    faded.render(3000)
    #expect(faded.news == ["crossfadeBegan(to: b, 4000)", "fadeOutCompleted"])
    #expect(faded.mixer.positions(at: faded.mixer.frame).fade?.index == Frames(1500))

    let ended = rig(a: 1500, b: 60_000)
    ended.render(1000)
    ended.send(.closeGate(.pause, ramp: Frames(2000)))
    ended.render(3000)
    #expect(ended.news == ["deckEnded(a)", "paused"] && ended.frame(of: "deckEnded") == 1500)
  }

  /// The end of a track within a fade is not reported then; it is when a collapse returns to its deck.
  @Test func aCollapseOntoADeckThatHasEndedTellsItsEnd() {
    let rig = rig(a: 500, b: 60_000)
    rig.send(.fadeNow(from: .a, to: .b, fade(4000)))
    rig.render(1000)
    rig.send(.closeGate(.pause, ramp: Frames(100)))
    rig.render(1000)
    rig.send(.collapse(onto: .a, ramp: Frames(400)))
    rig.render(1000)
    #expect(rig.news == ["crossfadeBegan(to: b, 4000)", "paused", "deckSilent(b, index: 1100)"])
    rig.send(.openGate(ramp: .zero))
    rig.render(100)
    #expect(rig.news.last == "deckEnded(a)", "once the gate lets something through")
  }

  @Test func clearKeepsTheDeckThatWaits() {
    let rig = rig(a: 60_000, b: 60_000)
    rig.send(.join(.gapless(from: .a, to: .b)))
    rig.render(1000)
    rig.send(.clear(keeping: .b, ramp: Frames(400)))
    rig.send(.start(.b, ramp: .zero))
    rig.render(2000)
    #expect(rig.news == ["released(a)"] && rig.frame(of: "released") == 1400)
    #expect(
      rig.output[1000].right == 0.5 && rig.output[1000].left > 0.49,
      "from its first frame, over the other's last")
    #expect(rig.output[1500] == Frame(0, 0.5))
    #expect(rig.mixer.positions(at: rig.mixer.frame).b == 2000)
  }
}
