// Crossfades in recordings: their gains, their power, and that pausing them does not alter them. Test
// threads.

import ChildSupport
import FadeFormulas
import Foundation
import PlaybackModel
import RealTimeSupport
import Testing

@Suite(.realTime) struct FadeTests {
  static let rate = 44100
  /// Lengths in frames of the first track, the second track and the fade.
  static let first = 4 * rate
  static let second = 5 * rate
  static let fade = 2 * rate
  static let begin = first - fade
  static let end = first + second - fade
  /// Frames of the ramps at pause and resume.
  static let ramp = rate / 5

  static func pair(_ bench: Workbench) throws -> [String] {
    [
      try bench.write(Sound.noise(frames: first, amplitude: 0.4, seed: 11), as: "first.wav"),
      try bench.write(Sound.noise(frames: second, amplitude: 0.4, seed: 12), as: "second.wav"),
    ]
  }

  /// A constant on a separate channel for each track, so that the recording shows the gains.
  static func constants(_ bench: Workbench) throws -> [String] {
    [
      try bench.write(Sound.constant(frames: first, left: 0.5, right: 0), as: "left.wav"),
      try bench.write(Sound.constant(frames: second, left: 0, right: 0.5), as: "right.wav"),
    ]
  }

  @Test(arguments: FadeCurve.allCases) func gainsAreTheirFormulas(curve: FadeCurve) throws {
    let bench = try Workbench()
    let heard = try bench.record(["--crossfade", "2", "--curve", curve.name], try Self.constants(bench))
    try #require(heard.frames == Self.end)
    var worst = 0.0
    for n in 0..<Self.end {
      let expected = curve.expectedGains(at: Double(n - Self.begin) / Double(Self.fade))
      worst = max(worst, abs(Double(heard.float[2 * n]) / 0.5 - expected.outgoing))
      worst = max(worst, abs(Double(heard.float[2 * n + 1]) / 0.5 - expected.incoming))
    }
    #expect(worst < 1e-4)
  }

  @Test func helpNamesEveryCurve() throws {
    let bench = try Workbench()
    let help = try bench.start(["play", "--help"]).wait(seconds: 60).output
    for curve in FadeCurve.allCases { #expect(help.contains(" \(curve.name)"), "\(curve.name)") }
  }

  @Test func equalPowerKeepsThePowerOfUnrelatedTracks() throws {
    let bench = try Workbench()
    let heard = try bench.record(["--crossfade", "2"], try Self.pair(bench))
    try #require(heard.frames == Self.end)
    func power(_ range: Range<Int>) -> Double {
      heard.float[2 * range.lowerBound..<2 * range.upperBound].reduce(0) { $0 + Double($1 * $1) }
        / Double(range.count)
    }
    let usual = power(0..<Self.begin)
    for part in 0..<4 {
      let start = Self.begin + part * Self.fade / 4
      let decibels = 10 * log10(power(start..<start + Self.fade / 4) / usual)
      #expect(abs(decibels) < 0.1, "\(decibels) dB in quarter \(part)")
    }
  }

  /// The expected recording with a pause at `pause` and a resume at `resume`: each frame of the music plays
  /// once, with the ramps applied to it and silence in the middle.
  static func paused(_ plain: [Float], at pause: Int, until resume: Int) -> [Float] {
    var out = Array(plain[..<(2 * pause)])
    for i in 0..<ramp {
      let gain = 1 - Float(i) / Float(ramp)
      for c in 0..<2 { out.append(plain[2 * (pause + i) + c] * gain) }
    }
    out += [Float](repeating: 0, count: 2 * (resume - pause - ramp))
    let rest = pause + ramp
    for i in 0..<ramp where rest + i < plain.count / 2 {
      let gain = Float(i) / Float(ramp)
      for c in 0..<2 { out.append(plain[2 * (rest + i) + c] * gain) }
    }
    return out + plain[min(plain.count, 2 * (rest + ramp))...]
  }

  /// Compares exactly outside the ramps, and with a tolerance for rounding inside.
  static func differs(_ heard: [Float], _ expected: [Float], pause: Int, resume: Int) -> String? {
    guard heard.count == expected.count else { return "\(heard.count) samples, \(expected.count) expected" }
    for n in heard.indices {
      let frame = n / 2
      let isRamp = (pause..<pause + ramp).contains(frame) || (resume..<resume + ramp).contains(frame)
      if abs(heard[n] - expected[n]) > (isRamp ? 1e-6 : 0) {
        return "frame \(frame): \(heard[n]) instead of \(expected[n])"
      }
    }
    return nil
  }

  static let shares = [-20, -5, -0.01, 0, 1, 30, 47, 49.9, 50, 80, 95, 99.9, 100, 120]

  @Test(arguments: shares) func aPauseIsTransparent(percent: Double) throws {
    let bench = try Workbench()
    let files = try Self.pair(bench)
    let plain = try bench.record(["--crossfade", "2"], files)
    let pause = Self.begin + Int(Double(Self.fade) * percent / 100)
    let resume = pause + Self.ramp + 12_345
    let heard = try bench.record(
      ["--crossfade", "2", "--quick-finish-threshold", "101"], files,
      script: "at \(pause)f pause\nat \(resume)f play\n")
    let expected = Self.paused(plain.float, at: pause, until: resume)
    #expect(Self.differs(heard.float, expected, pause: pause, resume: resume) == nil)
  }

  @Test func manyPausesInOneFadeAreTransparent() throws {
    let bench = try Workbench()
    let files = try Self.pair(bench)
    var expected = try bench.record(["--crossfade", "2"], files).float
    var script = ""
    var edges: [Range<Int>] = []
    for n in 0..<4 {
      let pause = Self.begin + 5_000 + n * 40_000
      let resume = pause + Self.ramp + 1_000 * (n + 1)
      expected = Self.paused(expected, at: pause, until: resume)
      edges += [pause..<pause + Self.ramp, resume..<resume + Self.ramp]
      script += "at \(pause)f pause\nat \(resume)f play\n"
    }
    let heard = try bench.record(
      ["--crossfade", "2", "--quick-finish-threshold", "101"], files, script: script)
    #expect(difference(heard.float, expected, tolerance: 1e-6) == nil)
  }

  @Test func aPauseThatTurnsRoundOnItsRampIsTransparent() throws {
    let bench = try Workbench()
    let files = try Self.pair(bench)
    var expected = try bench.record(["--crossfade", "2"], files).float
    let pause = Self.begin + 30_000
    let turn = pause + Self.ramp / 4
    for i in 0..<Self.ramp / 4 {
      for c in 0..<2 {
        expected[2 * (pause + i) + c] *= 1 - Float(i) / Float(Self.ramp)
        expected[2 * (turn + i) + c] *= 0.75 + Float(i) / Float(Self.ramp)
      }
    }
    let heard = try bench.record(
      ["--crossfade", "2", "--quick-finish-threshold", "101"], files,
      script: "at \(pause)f pause\nat \(turn)f play\n")
    #expect(difference(heard.float, expected, tolerance: 2e-5) == nil)
  }

  @Test(arguments: [50, 65, 75]) func quickFinishTakesASecondWithoutAStep(percent: Int) throws {
    let bench = try Workbench()
    let fade = 5 * Self.rate
    let files = [
      try bench.write(Sound.constant(frames: 2 * fade, left: 0.5, right: 0), as: "left.wav"),
      try bench.write(Sound.constant(frames: 2 * fade, left: 0, right: 0.5), as: "right.wav"),
    ]
    let pause = fade + fade * percent / 100
    let resume = pause + Self.ramp + 10_000
    let heard = try bench.record(
      ["--crossfade", "5"], files, script: "at \(pause)f pause\nat \(resume)f play\n")
    // The fade is held where the ramp ended; from there the rest of the curve takes one second.
    let held = Double(pause + Self.ramp - fade) / Double(fade)
    var worst = 0.0
    for i in 0..<Self.rate + 1000 {
      let p = min(1, held + (1 - held) * Double(i) / Double(Self.rate))
      let gate = min(1, Double(i) / Double(Self.ramp))
      let n = resume + i
      let expected = FadeCurve.equalPower.expectedGains(at: p)
      worst = max(worst, abs(Double(heard.float[2 * n]) / 0.5 - gate * expected.outgoing))
      worst = max(worst, abs(Double(heard.float[2 * n + 1]) / 0.5 - gate * expected.incoming))
    }
    #expect(worst < 1e-4)
    // The incoming track is complete: it started with the fade.
    #expect(heard.frames == 3 * fade + resume - pause - Self.ramp)
  }

  @Test(arguments: [50, 65, 89]) func aFadeWithLessThanASecondLeftIsNotDrawnOut(percent: Int) throws {
    let bench = try Workbench()
    let files = try Self.pair(bench)
    let plain = try bench.record(["--crossfade", "2"], files)
    let pause = Self.begin + Self.fade * percent / 100
    let resume = pause + Self.ramp + 10_000
    let heard = try bench.record(
      ["--crossfade", "2"], files, script: "at \(pause)f pause\nat \(resume)f play\n")
    let expected = Self.paused(plain.float, at: pause, until: resume)
    #expect(Self.differs(heard.float, expected, pause: pause, resume: resume) == nil)
  }

  @Test func belowTheThresholdAFadeGoesOnAtItsPace() throws {
    let bench = try Workbench()
    let files = try Self.pair(bench)
    let plain = try bench.record(["--crossfade", "2"], files)
    let pause = Self.begin + Self.fade * 35 / 100
    let resume = pause + Self.ramp + 500
    let heard = try bench.record(
      ["--crossfade", "2"], files, script: "at \(pause)f pause\nat \(resume)f play\n")
    let expected = Self.paused(plain.float, at: pause, until: resume)
    #expect(Self.differs(heard.float, expected, pause: pause, resume: resume) == nil)
  }

  @Test func aPauseOutsideAFadeIsTransparent() throws {
    let bench = try Workbench()
    let piece = Sound.noise(frames: 100_000, seed: 5)
    let file = try bench.write(piece, as: "a.wav")
    let heard = try bench.record([], [file, file], script: "at 30000f pause\nat 50001f play\n")
    let expected = Self.paused(piece.float + piece.float, at: 30_000, until: 50_001)
    #expect(Self.differs(heard.float, expected, pause: 30_000, resume: 50_001) == nil)
  }
}
