// Volume and fades of the daemon: each track is on its own channel, so that its gain can be measured. Test
// threads.

import ChildSupport
import Foundation
import RealTimeSupport
import Testing
import VirtualCardSupport

@Suite(.realTime) struct BoxSoundTests {
  static let rate = 44100

  /// Writes one track on the left channel and one on the right.
  static func sides(_ box: BoxRig, seconds: Double) throws {
    let frames = Int(seconds * 44100)
    try box.bench.write(Sound.constant(frames: frames, left: 0.5, right: 0), as: "left.wav")
    try box.bench.write(Sound.constant(frames: frames, left: 0, right: 0.5), as: "right.wav")
  }

  /// Waits until the last frame of the recording meets a condition.
  private func hears(_ box: BoxRig, _ condition: (_ left: Float, _ right: Float) -> Bool) throws {
    let isHeard = box.bench.waits {
      let heard = box.card.floats
      guard heard.count >= 2 else { return false }
      return condition(heard[heard.count - 2], heard[heard.count - 1])
    }
    let status = try box.tell("status")
    try #require(isHeard, "\(box.card.floats.suffix(2)), \(status)")
  }

  @Test func volumeIsHeard() throws {
    let box = try BoxRig(["set volume.maximum 80", "set volume.start 60"])
    try Self.sides(box, seconds: 30)
    try box.tell("play left.wav")
    try hears(box) { left, _ in left > 0 }
    var levels: [Float] = []
    for (command, shown) in [
      ("volume 20", "20"), ("volume up", "25"), ("volume +15", "40"), ("volume 100", "80"),
    ] {
      try box.tell(command)
      #expect(try box.fields()["volume"] == shown)
      // A ramp of 20 ms; queued frames are rewound.
      let from = box.card.recordedFrames
      try #require(box.card.wait(seconds: 20) { $0.recordedFrames > from + Self.rate })
      levels.append(box.card.floats[2 * (from + Self.rate / 2)])
    }
    #expect(levels == levels.sorted() && Set(levels).count == 4, "\(levels)")
    #expect(levels.allSatisfy { $0 > 0 && $0 < 0.5 })
    try box.tell("volume 0")
    try hears(box) { left, _ in left == 0 }
  }

  @Test func crossfadeHasEqualPowerAndBothTracks() throws {
    let box = try BoxRig()
    try Self.sides(box, seconds: 3)
    try box.tell("crossfade 1")
    try box.tell("queue add left.wav right.wav")
    try box.tell("play")
    try box.reaches("finished")
    try box.fallsSilent()
    let heard = box.card.floats
    let start = try #require((0..<heard.count / 2).first { heard[2 * $0 + 1] > 0 })
    let end = try #require((0..<heard.count / 2).last { heard[2 * $0] > 0 })
    #expect(abs(start - 2 * Self.rate) < 20 && abs(end - 3 * Self.rate) < 20, "\(start)…\(end)")
    for frame in start..<end {
      let power = heard[2 * frame] * heard[2 * frame] + heard[2 * frame + 1] * heard[2 * frame + 1]
      guard abs(power - 0.25) > 0.001 else { continue }
      Issue.record("power \(power) at \(frame)")
      break
    }
  }

  @Test func aSkipFadesAndFinishFadeEndsIt() throws {
    let box = try BoxRig(["set fade.manual-length 12"])
    try Self.sides(box, seconds: 30)
    try box.tell("queue add left.wav right.wav")
    try box.tell("play")
    try hears(box) { left, _ in left == 0.5 }
    try box.tell("next")
    try hears(box) { left, right in left > 0 && right > 0.02 }
    #expect(try box.fields()["state"] == "crossfading")
    let from = box.card.recordedFrames
    try box.tell("finish-fade")
    try hears(box) { left, right in left == 0 && right == 0.5 }
    let heard = box.card.floats
    let end = try #require((0..<heard.count / 2).last { heard[2 * $0] > 0 })
    #expect(end - from < 2 * Self.rate, "it took \(end - from) frames")
  }

  /// Pauses during a fade, optionally killing the box during the pause. Returns the whole recording.
  private func fadeWithAPause(kills: Bool) throws -> [Float] {
    let box = try BoxRig(["set fade.manual-length 6", "set fade.quick-finish never"])
    try Self.sides(box, seconds: 30)
    try box.tell("queue add left.wav right.wav")
    try box.tell("play")
    try hears(box) { left, _ in left == 0.5 }
    try box.tell("next")
    try hears(box) { left, right in left > 0 && right > 0.1 }
    try box.tell("pause")
    try box.reaches("crossfadePaused")
    try box.fallsSilent()
    if kills {
      try box.tell("power-failing")
      box.pullPlug()
      try box.restart()
      try box.reaches("crossfadePaused")
    }
    try box.tell("play")
    try hears(box) { left, right in left == 0 && right == 0.5 }
    return box.card.floats
  }

  /// Locates the pause and the fade's end: gains depend on the fade's index only, so both show whether the
  /// fade resumed at its exact frame.
  private func check(_ heard: [Float], sourceLocation: SourceLocation = #_sourceLocation) throws {
    let count = heard.count / 2
    let start = try #require((0..<count).first { heard[2 * $0 + 1] > 0 }, sourceLocation: sourceLocation)
    let end = try #require((0..<count).last { heard[2 * $0] > 0 }, sourceLocation: sourceLocation)
    // Without the silence the fade has its full length.
    let sounding = (start...end).filter { heard[2 * $0] != 0 || heard[2 * $0 + 1] != 0 }.count
    #expect(abs(sounding - 6 * Self.rate) <= 6, "\(sounding) frames", sourceLocation: sourceLocation)
    // After the ramp of the resume, each gain is that of the curve at its distance from the end.
    for distance in stride(from: 100, to: 2 * Self.rate, by: 997) {
      let angle = Float.pi / 2 * Float(distance) / Float(6 * Self.rate)
      let frame = end + 1 - distance
      guard abs(heard[2 * frame] - 0.5 * sin(angle)) > 0.0005 else { continue }
      Issue.record(
        "\(heard[2 * frame]), not \(0.5 * sin(angle)), \(distance) before the end",
        sourceLocation: sourceLocation)
      break
    }
  }

  @Test(arguments: [false, true]) func aPausedFadeGoesOnOnTheSameFrame(kills: Bool) throws {
    try check(try fadeWithAPause(kills: kills))
  }
}
