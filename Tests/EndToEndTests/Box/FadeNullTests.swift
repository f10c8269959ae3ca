// A fade that is paused, survives a SIGKILL and is resumed, minus its expected output: two pieces of noise
// weighted by the curve. The difference is silence. Test threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxFadeNullTests {
  static let rate = 44100
  static let fade = 5 * 44100

  @Test(arguments: ["equal-power", "linear"]) func whatRemainsIsSilence(curve: String) throws {
    let box = try BoxRig([
      "set fade.manual-length 5", "set fade.quick-finish never", "set fade.curve \(curve)",
      "set pause.ramp 0.1",
    ])
    let a = Sound.noise(frames: 30 * Self.rate, amplitude: 0.4, seed: 11)
    let b = Sound.noise(frames: 30 * Self.rate, amplitude: 0.4, seed: 22)
    try box.bench.write(a, as: "a.wav")
    try box.bench.write(b, as: "b.wav")
    try box.tell("queue add a.wav b.wav")
    try box.tell("play")
    try #require(box.card.wait(seconds: 20) { $0.recordedFrames > Self.rate })
    try box.tell("next")
    let isFading = box.bench.waits { (try? box.fields()["fade"]).flatMap { Double($0) } ?? 0 > 0.3 }
    try #require(isFading)
    try box.tell("pause")
    try box.reaches("crossfadePaused")
    try box.fallsSilent()
    try box.tell("power-failing")
    box.pullPlug()
    try box.restart()
    try box.reaches("crossfadePaused")
    try box.tell("play")
    try box.reaches("playing")
    let so = box.card.recordedFrames
    try #require(box.card.wait(seconds: 20) { $0.recordedFrames > so + Self.rate })
    try check(box.card.floats, a.float, b.float, curve)
  }

  private func gains(_ curve: String, _ index: Int) -> (out: Double, in: Double) {
    let p = Double(index) / Double(Self.fade)
    return curve == "linear" ? (1 - p, p) : (cos(.pi / 2 * p), sin(.pi / 2 * p))
  }

  private func check(_ heard: [Float], _ a: [Float], _ b: [Float], _ curve: String) throws {
    let count = heard.count / 2
    func isSilent(_ frame: Int) -> Bool { heard[2 * frame] == 0 && heard[2 * frame + 1] == 0 }
    // The outgoing track starts with its first frame and plays alone until the fade.
    let first = try #require((0..<count).first { !isSilent($0) })
    // Both channels are compared: near the start of the fade a single sample may match by chance.
    func isAlone(_ frame: Int) -> Bool {
      (0...1).allSatisfy { heard[2 * frame + $0] == a[2 * (frame - first) + $0] }
    }
    let begin = try #require((first..<count).first { !isAlone($0) }) - 1
    #expect(begin - first > Self.rate / 2, "it was alone for \(begin - first) frames")
    // The pause is the longest silence.
    var pause = 0..<0
    var start = begin
    for frame in begin..<count where !isSilent(frame) {
      if frame - start > pause.count { pause = start..<frame }
      start = frame + 1
    }
    #expect(pause.count > Self.rate / 20)
    // The position of the incoming track at the end determines the fade's index for each frame since the
    // pause.
    let last = count - 1
    let (left, right) = (heard[2 * last], heard[2 * last + 1])
    let found = (0..<b.count / 2).first { b[2 * $0] == left && b[2 * $0 + 1] == right }
    let position = try #require(found)
    let offset = last - position
    let goneOn = pause.upperBound - offset
    let stopped = pause.lowerBound - begin
    // Ramps start and end with a silent frame.
    #expect(abs(goneOn - stopped) <= 2, "\(stopped), then \(goneOn)")
    let ramp = Self.rate / 10 + 4
    var worst = 0.0
    func subtract(_ frames: Range<Int>, from origin: Int) {
      for frame in frames {
        let index = frame - origin
        guard index >= 0 else { continue }
        let gain = gains(curve, min(index, Self.fade))
        for channel in 0...1 {
          let outgoing = Double(a[2 * (begin - first + index) + channel]) * gain.out
          let mix = outgoing + Double(b[2 * index + channel]) * gain.in
          worst = max(worst, abs(Double(heard[2 * frame + channel]) - mix))
        }
      }
    }
    subtract(begin..<pause.lowerBound - ramp, from: begin)
    let before = worst
    worst = 0
    subtract(pause.upperBound + ramp..<count, from: offset)
    // -80 dBFS.
    #expect(before < 1e-4 && worst < 1e-4, "\(20 * log10(before)) and \(20 * log10(worst)) dBFS remain")
    #expect(pause.upperBound + ramp - offset < Self.fade / 2 + ramp, "it went on in the midst of the fade")
  }
}
