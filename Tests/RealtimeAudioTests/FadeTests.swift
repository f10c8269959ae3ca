// Crossfades in the mixer: gains, power, behavior at their start and end, and pauses without side effects.
// Test threads.
import AudioRing
import FadeFormulas
import Foundation
import PlaybackModel
import RealtimeAudio
import Testing

@Suite struct FadeTests {
  /// Deck A on the left channel, deck B on the right, so that each gain can be measured.
  static let onLeft: Sound = { _ in Frame(0.5, 0) }
  static let onRight: Sound = { _ in Frame(0, 0.5) }

  private func rig(a: Int = 60_000, b: Int = 60_000) -> Rig {
    let rig = Rig()
    rig.play(.a, RingBox(track: a, Self.onLeft))
    rig.cue(.b, RingBox(track: b, Self.onRight))
    return rig
  }

  @Test(arguments: FadeCurve.allCases, [1, 2, 17, 500, 4410, 30_001])
  func gainsFollowTheFormula(curve: FadeCurve, length: Int) {
    let rig = rig()
    rig.render(777)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(Int64(length)), curve: curve)))
    rig.render(length + 1000, chunk: 331)
    let output = rig.output
    var worst = 0.0
    for i in 0..<length {
      let p = Double(i) / Double(length)
      let frame = output[777 + i]
      let expected = curve.expectedGains(at: p)
      worst = max(worst, abs(Double(frame.left) * 2 - expected.outgoing))
      worst = max(worst, abs(Double(frame.right) * 2 - expected.incoming))
    }
    #expect(worst < 1e-4)
    #expect(output[(777 + length)...].allSatisfy { $0 == Frame(0, 0.5) })
    #expect(rig.news == ["crossfadeBegan(to: b, \(length))", "crossfadeCompleted(to: b)"])
    #expect(rig.frame(of: "crossfadeCompleted") == 777 + length)
  }

  @Test func equalPowerKeepsThePower() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 120_000, noise(seed: 1, amplitude: 0.4)))
    rig.cue(.b, RingBox(track: 120_000, noise(seed: 99, amplitude: 0.4)))
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(100_000), curve: .equalPower)))
    rig.render(110_000)
    let reference = 0.4 * 0.4 / 3
    for start in stride(from: 0, to: 100_000, by: 20_000) {
      let power =
        rig.output[start..<start + 20_000].reduce(0.0) {
          $0 + Double($1.left * $1.left + $1.right * $1.right) / 2
        } / 20_000
      #expect(abs(10 * log10(power / reference)) < 0.1, "from frame \(start)")
    }
  }

  /// The join is exact to the frame, at any position in a quantum.
  @Test(arguments: [1, 2, 255, 256, 257, 300, 511, 1000, 4097])
  func gaplessJoinsLoseNothing(length: Int) {
    let rig = Rig(.s16)
    rig.play(.a, RingBox(track: length, coded))
    rig.cue(.b, RingBox(track: 5000, { coded($0 + length) }))
    rig.send(.join(.gapless(from: .a, to: .b)))
    rig.render(length + 5000, chunk: 97)
    let left = stride(from: 0, to: rig.integers.count, by: 2).map { rig.integers[$0] }
    #expect(left == (0..<length + 5000).map { Int32($0 % 32767 + 1) })
    #expect(rig.frame(of: "advanced") == length)
    rig.render(1)
    #expect(rig.news == ["advanced(to: b)", "deckEnded(b)"])
  }

  @Test func aChainOfVeryShortTracksIsUnbroken() {
    let rig = Rig(.s16)
    let lengths = [3, 1, 40, 2, 255, 256, 1, 1, 700, 5]
    var starts: [Int] = [0]
    for length in lengths { starts.append(starts.last! + length) }
    rig.play(.a, RingBox(track: lengths[0], coded))
    for i in 1..<lengths.count {
      let from: Deck = i % 2 == 1 ? .a : .b
      rig.cue(from.other, RingBox(track: lengths[i], { [start = starts[i]] in coded($0 + start) }))
      rig.send(.join(.gapless(from: from, to: from.other)))
      rig.render(starts[i] - rig.frame + 1)
    }
    rig.render(starts.last! - rig.frame)
    let left = stride(from: 0, to: rig.integers.count, by: 2).map { rig.integers[$0] }
    #expect(left == (0..<starts.last!).map { Int32($0 + 1) })
  }

  @Test(arguments: [0, 100, 255, 10_000, 10_001])
  func anArmedFadeBeginsOnItsFrame(at index: Int) {
    let rig = rig()
    rig.send(
      .join(
        .crossfade(
          from: .a, to: .b, at: UInt64(index), Fade(length: Frames(2000), curve: .linear), ends: .unknown)))
    rig.render(20_000, chunk: 611)
    #expect(rig.frame(of: "crossfadeBegan") == index)
    #expect(rig.frame(of: "crossfadeCompleted") == index + 2000)
  }

  @Test func aFadeArmedTooLateBeginsAtOnceAndIsWholeWhereNobodyKnowsTheEnds() {
    let rig = rig()
    rig.render(5000)
    rig.send(
      .join(.crossfade(from: .a, to: .b, at: 100, Fade(length: Frames(2000), curve: .linear), ends: .unknown))
    )
    rig.render(5000)
    #expect(rig.frame(of: "crossfadeBegan") == 5000 && rig.frame(of: "crossfadeCompleted") == 7000)
  }

  @Test func theOutgoingTrackMayEndFirst() {
    let rig = rig(a: 3000)
    rig.render(2000)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(4000), curve: .linear)))
    rig.render(6000)
    #expect(rig.news == ["crossfadeBegan(to: b, 4000)", "crossfadeCompleted(to: b)"])
    #expect(rig.output[3000..<6000].allSatisfy { $0.left == 0 })
    #expect(abs(rig.output[4000].right - 0.25) < 1e-4)
  }

  @Test func theIncomingTrackMayEndFirst() {
    let rig = rig(b: 1000)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(4000), curve: .linear)))
    rig.render(6000)
    #expect(rig.news == ["crossfadeBegan(to: b, 4000)", "crossfadeCompleted(to: b)", "deckEnded(b)"])
  }

  @Test func anEndWithinAFadeIsToldWhenTheFadeIsDropped() {
    let collapsed = rig(b: 500)
    collapsed.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(4000), curve: .linear)))
    collapsed.render(1000)
    collapsed.send(.collapse(onto: .b, ramp: Frames(400)))
    collapsed.render(1000)
    #expect(collapsed.news == ["crossfadeBegan(to: b, 4000)", "deckEnded(b)", "deckSilent(a, index: 1400)"])
    let reverted = rig(a: 500)
    reverted.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(4000), curve: .linear)))
    reverted.render(1000)
    reverted.send(.release(.b, ramp: Frames(400)))
    reverted.render(2000)
    #expect(reverted.news == ["crossfadeBegan(to: b, 4000)", "deckEnded(a)", "released(b)"])
  }

  @Test func theIncomingTrackMayStarve() {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, Self.onLeft))
    let ring = RingBox(capacity: 1 << 16, Self.onRight)
    ring.write(5000)
    rig.cue(.b, ring)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(30_000), curve: .linear)))
    rig.render(10_000)
    #expect(rig.news == ["crossfadeBegan(to: b, 30000)"])
    ring.write(40_000)
    rig.render(25_000)
    #expect(rig.news == ["crossfadeBegan(to: b, 30000)", "crossfadeCompleted(to: b)"])
    let step = zip(rig.output, rig.output.dropFirst()).map { abs($0.right - $1.right) }.max()!
    #expect(step < 0.5 / 350, "out and in over a ramp")
  }

  // MARK: Pauses

  /// A fade with an optional pause, for comparison of the outputs.
  private func faded(pauseAt: Int?, _ resume: (Rig) -> Void = { _ in }) -> Rig {
    let rig = Rig()
    rig.play(.a, RingBox(track: 60_000, noise(seed: 4, amplitude: 0.4)))
    rig.cue(.b, RingBox(track: 60_000, noise(seed: 8, amplitude: 0.4)))
    rig.render(1000)
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(20_000), curve: .equalPower)))
    if let pauseAt {
      rig.render(pauseAt)
      rig.send(.closeGate(.pause, ramp: Frames(2000)))
      rig.render(7777)
      resume(rig)
      rig.send(.openGate(ramp: Frames(2000)))
    }
    rig.render(60_000 - rig.frame)
    return rig
  }

  @Test(arguments: [0, 1, 30, 47, 49.9, 50, 80, 100])
  func aPauseLeavesNoTrace(percent: Double) {
    let at = Int(200 * percent)
    let plain = faded(pauseAt: nil).output
    let paused = faded(pauseAt: at).output
    let start = 1000 + at
    // While the gate closes, frames play with its ramp; then both decks stop.
    #expect(paused[..<start].elementsEqual(plain[..<start]))
    var worst: Float = 0
    for i in 0..<2000 {
      let out = 1 - Float(i) / 2000
      worst = max(worst, abs(paused[start + i].left - plain[start + i].left * out))
      let into = Float(i) / 2000
      worst = max(worst, abs(paused[start + 7777 + i].left - plain[start + 2000 + i].left * into))
    }
    #expect(worst < 1e-6)
    #expect(paused[start + 2000..<start + 7777].allSatisfy { $0 == Frame(0, 0) })
    let rest = start + 7777 + 2000
    let count = 60_000 - rest
    #expect(paused[rest...].elementsEqual(plain[start + 4000..<start + 4000 + count]), "sample for sample")
  }

  @Test(arguments: [50.0, 60, 80, 99])
  func aQuickFinishTakesItsTimeWithoutAJump(percent: Double) {
    let rig = rig()
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(20_000), curve: .equalPower)))
    rig.render(Int(200 * percent) - 100)
    rig.send(.closeGate(.pause, ramp: Frames(100)))
    rig.render(500)
    let resumed = rig.frame
    rig.send(.quickFinish(over: Frames(4410)))
    rig.send(.openGate(ramp: .zero))
    rig.render(10_000)
    // If less is left than that, the fade takes no longer.
    let rest = min(4410, 20_000 - Int(200 * percent))
    #expect(rig.frame(of: "crossfadeCompleted") == resumed + rest)
    let p = percent / 100
    #expect(abs(Double(rig.output[resumed].right) * 2 - sin(.pi / 2 * p)) < 1e-4, "goes on where it was")
    let step = zip(rig.output[resumed...], rig.output[(resumed + 1)...]).map { abs($0.left - $1.left) }.max()!
    #expect(Double(step) < 0.5 * .pi / 2 * (1 - p) / Double(rest) + 1e-4)
  }

  // MARK: Stop, collapse, clear

  @Test func aCollapseGivesTheOtherDeckBack() {
    let rig = rig()
    rig.send(.fadeNow(from: .a, to: .b, Fade(length: Frames(10_000), curve: .linear)))
    rig.render(5000)
    rig.send(.collapse(onto: .a, ramp: Frames(500)))
    rig.render(2000)
    #expect(abs(rig.output[5250].left - 0.375) < 1e-3 && abs(rig.output[5250].right - 0.125) < 1e-3)
    #expect(rig.output[5600] == Frame(0.5, 0))
    #expect(rig.news == ["crossfadeBegan(to: b, 10000)", "deckSilent(b, index: 5500)"])
  }
}
