// Fade curves against Foundation's formulas, re-timing, snapshots, volume and loudness. Test threads.
import FadeFormulas
import Foundation
import PlaybackModel
import Testing

@Suite struct FadeTests {
  @Test(arguments: FadeCurve.allCases)
  func gainsFollowTheFormulas(curve: FadeCurve) {
    var worst = 0.0
    var last = curve.gains(at: 0)
    #expect(last == (.unity, .silence))
    for i in 0...100_000 {
      let p = Float(i) / 100_000
      let gains = curve.gains(at: p)
      let expected = curve.expectedGains(at: Double(p))
      worst = max(worst, abs(Double(gains.incoming.factor) - expected.incoming))
      worst = max(worst, abs(Double(gains.outgoing.factor) - expected.outgoing))
      if gains.incoming < last.incoming || gains.outgoing > last.outgoing {
        Issue.record("\(curve) runs backwards at \(p)")
      }
      last = gains
    }
    #expect(worst < 1e-6)
    #expect(last == (.silence, .unity))
    #expect(curve.gains(at: 1.5) == (.silence, .unity))
    #expect(curve.gains(at: -1) == (.unity, .silence))
    #expect(curve.gains(at: .nan) == (.unity, .silence))
    #expect(FadeCurve(name: curve.name) == curve)
  }

  @Test func equalPowerKeepsThePower() {
    for i in 0...10_000 {
      let (out, into) = FadeCurve.equalPower.gains(at: Float(i) / 10_000)
      let power = Double(out.factor) * Double(out.factor) + Double(into.factor) * Double(into.factor)
      #expect(abs(10 * log10(power)) < 0.1)
    }
  }

  @Test func lengthsAreClamped() {
    #expect(Fade(Seconds(99), rate: rate).length == Frames(15 * 48_000))
    #expect(Fade(Seconds(-1), rate: rate).length == .zero)
    #expect(Fade(Seconds(.nan), rate: rate).length == .zero)
    #expect(Fade(Seconds(0), rate: rate).gains(at: .zero) == (.silence, .unity))
    #expect(
      FadeProgress(index: Frames(9), length: Frames(4)) == FadeProgress(index: Frames(4), length: Frames(4)))
    #expect(FadeProgress(index: Frames(-9), length: Frames(4)).fraction == 0)
    #expect(FadeProgress(index: .zero, length: .zero).percent == 100)
    #expect(FadeProgress(index: Frames(999), length: Frames(1000)).percent == 99)
  }

  @Test func continuingIsSampleExact() {
    let timing = FadeTiming(continuing: progress(percent: 47))
    let start = progress(percent: 47).index
    for elapsed in stride(from: Int64(0), through: 260_000, by: 997) {
      let expected = min(start.count + elapsed, tenSeconds.length.count)
      #expect(timing.curvePosition(atElapsed: Frames(elapsed)) == Double(expected))
      #expect(
        tenSeconds.gains(atPosition: timing.curvePosition(atElapsed: Frames(elapsed)))
          == tenSeconds.gains(at: Frames(expected)))
    }
  }

  @Test(arguments: FadeCurve.allCases, [50, 80, 99, 100])
  func aQuickFinishIsContinuousAndEndsInTime(curve: FadeCurve, percent: Int) {
    let fade = Fade(length: tenSeconds.length, curve: curve)
    let begun = progress(percent: percent)
    let timing = FadeTiming(finishing: begun, over: Frames(48_000))
    #expect(timing.curvePosition(atElapsed: .zero) == Double(begun.index.count))
    #expect(timing.curvePosition(atElapsed: Frames(48_000)) == Double(fade.length.count))
    #expect(fade.gains(atPosition: timing.curvePosition(atElapsed: Frames(48_000))) == (.silence, .unity))
    var last = fade.gains(at: begun.index)
    var position = Double(begun.index.count)
    for elapsed in 1...48_000 {
      let next = timing.curvePosition(atElapsed: Frames(Int64(elapsed)))
      let gains = fade.gains(atPosition: next)
      guard next >= position, abs(gains.incoming.factor - last.incoming.factor) < 3e-4,
        abs(gains.outgoing.factor - last.outgoing.factor) < 3e-4
      else {
        Issue.record("a jump at \(elapsed)")
        return
      }
      position = next
      last = gains
    }
    #expect(timing.progress(atElapsed: Frames(48_000)).percent == 100)
    let atOnce = FadeTiming(finishing: begun, over: .zero)
    #expect(atOnce.curvePosition(atElapsed: .zero) == Double(fade.length.count))
  }

  @Test func snapshotsSurviveBeingWritten() throws {
    var seed = ShuffleGenerator(seed: 3)
    for _ in 0..<1000 {
      let length = Int64.random(in: 1...720_000, using: &seed)
      let snapshot = CrossfadeSnapshot(
        from: seed.next(), to: seed.next(), fromPosition: Frames(.random(in: 0...(.max), using: &seed)),
        toPosition: Frames(.random(in: 0...(.max), using: &seed)),
        progress: FadeProgress(index: Frames(.random(in: 0...length, using: &seed)), length: Frames(length)),
        curve: FadeCurve.allCases.randomElement(using: &seed)!,
        rate: SampleRate([44_100, 48_000, 192_000].randomElement(using: &seed)!),
        deck: Deck.allCases.randomElement(using: &seed)!, time: seed.next())
      let bytes = snapshot.bytes
      #expect(bytes.count == CrossfadeSnapshot.byteCount)
      #expect(try #require(CrossfadeSnapshot(bytes: bytes)) == snapshot)
      #expect(CrossfadeSnapshot(bytes: Array(bytes.dropLast())) == nil)
    }
    var bad = snapshot(percent: 30).bytes
    bad[1] = 99
    #expect(CrossfadeSnapshot(bytes: bad) == nil, "no such curve")
    bad = snapshot(percent: 30).bytes
    bad[47] = 0x7F
    #expect(CrossfadeSnapshot(bytes: bad) == nil, "the index is beyond the length")
  }

  @Test(arguments: VolumeCurve.allCases) func everyVolumeCurveIsMonotonicAndExactAtBothEnds(
    _ curve: VolumeCurve
  ) {
    #expect(Volume(0).gain(curve) == .silence && Volume(100).gain(curve) == .unity)
    #expect(
      Volume(-3).gain(curve) == .silence && Volume(300).gain(curve) == .unity
        && Volume(.nan).gain(curve) == .silence)
    for tenths in 0..<1000 {
      let (here, next) = (Volume(Float(tenths) / 10), Volume(Float(tenths + 1) / 10))
      #expect(here.gain(curve) < next.gain(curve))
      let back = curve.volume(for: next.gain(curve))
      #expect(abs(back.percent - next.percent) < 0.01, "\(back.percent), not \(next.percent)")
    }
    #expect(VolumeCurve(name: curve.name) == curve)
  }

  @Test func eachPercentOfTheEvenCurveIsHalfADecibel() throws {
    var before = -50.0
    #expect(abs(try #require(VolumeCurve.even.decibels(at: Volume(1))) + 50) < 0.01)
    for percent in 2...100 {
      let here = try #require(VolumeCurve.even.decibels(at: Volume(Float(percent))))
      #expect(abs(here - before - 50.0 / 99) < 0.01)
      before = here
    }
  }

  @Test func volumeIsPerceptual() {
    #expect(Volume(0).gain(.cubic) == .silence && Volume(100).gain(.cubic) == .unity)
    #expect(
      Volume(-3).gain(.cubic) == .silence && Volume(300).gain(.cubic) == .unity
        && Volume(.nan).gain(.cubic) == .silence)
    #expect(abs(20 * log10(Volume(50).gain(.cubic).factor) + 18.06) < 0.01)
    #expect(abs(20 * log10(Volume(10).gain(.cubic).factor) + 60) < 0.01)
    for step in 0..<100 { #expect(Volume(Float(step)).gain(.cubic) < Volume(Float(step + 1)).gain(.cubic)) }
  }

  @Test func decibelsMatchFoundation() {
    for tenths in -1999...600 {
      let expected = pow(10, Double(Float(tenths) / 10) / 20)
      #expect(abs(Double(Gain(decibels: Float(tenths) / 10).factor) - expected) <= expected * 1e-6)
    }
    #expect(Gain(decibels: 0) == .unity && Gain(decibels: -.infinity) == .silence)
    #expect(Gain(decibels: .nan) == .silence)
  }

  @Test func loudnessNeverClipsWhenAsked() {
    let tags = Loudness(trackGain: 6, trackPeak: 0.9, albumGain: -3)
    #expect(tags.gain(.off) == .unity)
    #expect(tags.gain(.track).factor * 0.9 <= 1)
    #expect(abs(tags.gain(.track, preventsClipping: false).factor - 1.9953) < 1e-3)
    #expect(abs(tags.gain(.album).factor - 0.7079) < 1e-3)
    #expect(Loudness(trackGain: -6).gain(.album) == Gain(decibels: -6), "falls back to the track")
    #expect(Loudness().gain(.track) == .unity)
    #expect(Loudness(trackGain: .nan).gain(.track) == .unity)
    #expect(Loudness.decibels(r128: -256 * 5) == 0)
  }
}
